import { useEffect, useEffectEvent, useState } from 'react';
import { type Location, useLocation, useNavigate } from 'react-router';
import { paths } from '../../domain/paths.ts';
import { Link } from '../../platform/link.tsx';
import { loadChunk } from '../../platform/load-chunk.ts';
import { keepScroll } from '../../platform/use-scroll.ts';
import { Icon } from '../../ui/icon.tsx';
import { offerRetry } from '../../ui/toasts.ts';
import type { Picture } from './picture.ts';

export const photoGridClass = 'grid gap-4 sm:grid-cols-2 xl:grid-cols-3';
export const photoCardClass = 'overflow-hidden rounded-card border border-line bg-raised';

interface Props {
  pictures: readonly Picture[];
  onRemove: (picture: Picture) => void;
}

/** Returns the id of the link element of a picture. */
export const getElementId = ({ key }: Picture): string => `photo-${key}`;

/** Shows pictures as links to their image files. With JavaScript, a link opens the lightbox instead. */
export function PhotoGrid({ pictures, onRemove }: Props) {
  const open = useLightbox(pictures);
  return (
    <ul className={photoGridClass}>
      {pictures.map((picture) => (
        <li key={picture.key}>
          <figure className={photoCardClass}>
            <a
              id={getElementId(picture)}
              href={picture.src}
              className="block"
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                open(picture);
              }}
            >
              <img
                src={picture.thumb}
                alt={picture.title}
                width="480"
                height="320"
                loading="lazy"
                className="aspect-[3/2] w-full bg-line object-cover"
              />
            </a>
            <figcaption className="flex items-start justify-between gap-3 px-4 py-3">
              <div className="min-w-0">
                <p className="font-medium wrap-anywhere">{picture.title}</p>
                <p className="text-sm text-ink-soft wrap-anywhere">
                  {picture.about.join(' · ')}
                  {picture.by && (
                    <>
                      {' · '}
                      <Link className="link" to={paths.user(picture.by.id)}>
                        {picture.by.name}
                      </Link>
                    </>
                  )}
                </p>
              </div>
              {picture.ownId && (
                <button
                  type="button"
                  aria-label={`Remove ${picture.title}`}
                  className="-my-2 -mr-2 grid size-11 shrink-0 place-items-center rounded-control text-ink-soft hover:bg-wash hover:text-brand"
                  onClick={() => onRemove(picture)}
                >
                  <Icon name="trash" />
                </button>
              )}
            </figcaption>
          </figure>
        </li>
      ))}
    </ul>
  );
}

/**
 * Opens the lightbox while the URL hash contains the id of a picture. The Back button then closes the lightbox, as
 * users expect of a full-screen view on a phone, and the URL can be shared.
 * @returns a function that opens a picture
 */
function useLightbox(pictures: readonly Picture[]): (picture: Picture) => void {
  const { hash, state }: Location<{ opened?: boolean } | null> = useLocation();
  const navigate = useNavigate();
  const index = pictures.findIndex((picture) => hash === `#${getElementId(picture)}`);
  const isOpen = index !== -1;
  const [attempt, setAttempt] = useState(0);
  const leavePicture = useEffectEvent(() => {
    if (state?.opened) void navigate(-1);
    else void navigate({ hash: '', search: location.search }, { replace: true, state: keepScroll });
  });
  const open = useEffectEvent((onClosed: (last: Picture | undefined) => void) =>
    loadChunk(() => import('./lightbox.ts')).then(({ openLightbox }) => openLightbox(pictures, index, onClosed)),
  );
  useEffect(() => {
    if (!isOpen) return undefined;
    let isClosed = false;
    const opening = open((last) => {
      if (!isClosed) leavePicture();
      isClosed = true;
      if (last) document.getElementById(getElementId(last))?.focus();
    });
    opening.catch((error: unknown) => isClosed || offerRetry(error, () => setAttempt(attempt + 1)));
    return () => {
      const wasClosed = isClosed;
      isClosed = true;
      if (!wasClosed) opening.then((close) => close()).catch(() => undefined);
    };
  }, [isOpen, hash, attempt]);
  return (picture) =>
    void navigate({ hash: getElementId(picture), search: location.search }, { state: { ...keepScroll, opened: true } });
}

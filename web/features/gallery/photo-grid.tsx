import { useEffect, useEffectEvent, useState } from 'react';
import { type Location, useLocation, useNavigate } from 'react-router';
import type { PhotoModeration } from '#contract/gallery.ts';
import { useIsOwnYear } from '#web/domain/own-class.ts';
import { loadChunk } from '#web/platform/load-chunk.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { Icon } from '#web/ui/icon.tsx';
import { offerRetry } from '#web/ui/toasts.ts';
import { shapeOf } from './photo-shape.ts';
import type { Picture } from './picture.ts';
import { sampleAlbumTitle } from './samples.ts';

interface Props {
  pictures: readonly Picture[];
  onRemove: (picture: Picture) => void;
  onHidden: (picture: Picture) => void;
}

export const getElementId = ({ key }: Picture): string => `photo-${key}`;

/** The drawings have the same shape, and so have the videos. */
export const sampleGrid = 'grid grid-cols-2 gap-3 sm:grid-cols-3 lg:gap-5';

/** Links to the image files, in their natural shapes. With JavaScript, a link opens the lightbox instead. */
export function PhotoGrid({ pictures, onRemove, onHidden }: Props) {
  const reportDialog = useLazyComponent(() => import('#web/domain/report/report-dialog.tsx'));
  const [reported, setReported] = useState<Picture | null>(null);
  const open = useLightbox(pictures, (picture) => {
    setReported(picture);
    reportDialog.open();
  });
  const isOwnYear = useIsOwnYear({ department: undefined });
  return (
    <>
      <div className="grid gap-10">
        {groupByYear(pictures).map(({ year, pictures: own }) => (
          <section key={year} aria-label={year === null ? sampleAlbumTitle : `Photos of ${year}`}>
            {year === null ? (
              <h3 className="border-b border-line pb-2 text-lg font-bold lg:text-xl">{sampleAlbumTitle}</h3>
            ) : (
              <h3
                className={`year py-1 text-[3rem] text-brand ${isOwnYear(year) ? 'border-b-3 border-gold-strong' : 'border-b border-line'}`}
              >
                {year}
              </h3>
            )}
            <ul className={`mt-4 ${year === null ? sampleGrid : 'photo-rows'}`}>
              {own.map((picture) => (
                <GridPhoto key={picture.key} picture={picture} onOpen={() => open(picture)} onRemove={onRemove} />
              ))}
            </ul>
          </section>
        ))}
      </div>
      {reportDialog.Part && reported?.reportId && (
        <reportDialog.Part
          kind="photo"
          id={reported.reportId}
          title={reported.title}
          onClose={(result) => {
            reportDialog.close();
            if (result === 'hidden') onHidden(reported);
          }}
        />
      )}
    </>
  );
}

interface Year {
  readonly year: number | null;
  readonly pictures: Picture[];
}

function groupByYear(pictures: readonly Picture[]): Year[] {
  const years: Year[] = [];
  for (const picture of pictures) {
    const last = years.at(-1);
    if (last?.year === picture.year) last.pictures.push(picture);
    else years.push({ year: picture.year, pictures: [picture] });
  }
  return years;
}

interface GridPhotoProps extends Pick<Props, 'onRemove'> {
  picture: Picture;
  onOpen: () => void;
}

function GridPhoto({ picture, onOpen, onRemove }: GridPhotoProps) {
  const { width, height } = picture;
  return (
    <li className={shapeOf(picture)}>
      <figure>
        <a
          id={getElementId(picture)}
          href={picture.src}
          className="relative block overflow-hidden print-shape"
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            onOpen();
          }}
        >
          <img
            src={picture.thumb}
            alt={picture.title}
            width={width}
            height={height}
            loading="lazy"
            className="w-full bg-line print-shape"
          />
          {picture.moderation && (
            <span className="absolute inset-x-0 bottom-0 flex gap-1.5 bg-raised p-2 text-sm leading-snug text-ink">
              <Icon name="eye-off" className="mt-0.5 size-4 shrink-0" />
              {moderationNotes[picture.moderation]}
            </span>
          )}
        </a>
        <figcaption className="flex items-start pt-1.5">
          <PhotoTitle>{picture.title}</PhotoTitle>
          {picture.ownId && <PhotoMenu picture={picture} onRemove={onRemove} />}
        </figcaption>
      </figure>
    </li>
  );
}

const moderationNotes: Record<PhotoModeration, string> = {
  reported: 'Hidden while the alumni office reviews a report',
  hidden: 'Hidden by the alumni office',
  'taken-down': 'Taken down by the alumni office. It will be deleted.',
};

export const PhotoTitle = ({ children }: { children: string }) => (
  <span className="line-clamp-2 grow text-sm leading-snug wrap-anywhere">{children}</span>
);

/** Browsers without anchor positioning show the menu in the middle of the screen. */
function PhotoMenu({ picture, onRemove }: { picture: Picture; onRemove: Props['onRemove'] }) {
  const id = `menu-${picture.key}`;
  return (
    <div className="needs-scripts -my-2 -mr-3 shrink-0">
      <button
        type="button"
        popoverTarget={id}
        aria-label={`Menu of ${picture.title}`}
        className="grid size-11 place-items-center rounded-control text-ink-soft hover:bg-wash hover:text-ink"
      >
        <Icon name="ellipsis-vertical" />
      </button>
      <div
        id={id}
        popover="auto"
        className="rounded-card border border-line bg-raised p-2 text-ink floating supports-[position-area:bottom]:inset-auto supports-[position-area:bottom]:m-0 supports-[position-area:bottom]:[position-area:bottom_span-left]"
      >
        <button
          type="button"
          className="flex min-h-11 w-full items-center gap-3 rounded-control px-3 text-left hover:bg-wash"
          onClick={() => onRemove(picture)}
        >
          <Icon name="trash" />
          Remove photo
        </button>
      </div>
    </div>
  );
}

/**
 * Opens the lightbox while the URL hash contains the id of a picture. The Back button then closes the lightbox, as
 * users expect of a full-screen view on a phone, and the URL can be shared.
 * @returns a function that opens a picture
 */
function useLightbox(pictures: readonly Picture[], onReport: (picture: Picture) => void): (picture: Picture) => void {
  const { hash, state }: Location<{ opened?: boolean } | null> = useLocation();
  const navigate = useNavigate();
  const index = pictures.findIndex((picture) => hash === `#${getElementId(picture)}`);
  const isOpen = index !== -1;
  const [attempt, setAttempt] = useState(0);
  const leavePicture = useEffectEvent(() => {
    if (state?.opened) void navigate(-1);
    else void navigate({ hash: '', search: location.search }, { replace: true, preventScrollReset: true });
  });
  const open = useEffectEvent((onClosed: (last: Picture | undefined) => void) =>
    loadChunk(() => import('./lightbox.ts')).then(({ openLightbox }) =>
      openLightbox(pictures, index, onClosed, onReport),
    ),
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
    void navigate(
      { hash: getElementId(picture), search: location.search },
      { preventScrollReset: true, state: { opened: true } },
    );
}

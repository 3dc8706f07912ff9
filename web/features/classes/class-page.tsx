import type { MouseEvent } from 'react';
import { Link, useLoaderData, useRevalidator } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import { careerFormPath, toCareersPath } from '#web/domain/careers.ts';
import { useIsOwnClass } from '#web/domain/own-class.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { GridCard } from '#web/domain/person-card.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { albumOf, type ClassData } from './class-data.ts';

export function ClassPage() {
  const loaded = useLoaderData<ClassData>();
  const { department, year, url, failed } = loaded;
  const { revalidate, state } = useRevalidator();
  const user = useUser();
  const isOwn = useIsOwnClass()(department, year);
  const count = failed ? undefined : loaded.found.count;
  const hasPhotos = !failed && loaded.found.photos.length > 0;
  return (
    <div className="page print:max-w-none print:p-0">
      <header className="flex flex-wrap items-end justify-between gap-x-8 gap-y-4 border-b border-line pb-5">
        <h1 className={`year text-brand ${hasPhotos ? 'max-lg:w-full' : 'max-[88rem]:w-full'}`}>
          <span className="block text-xl">Class of</span>{' '}
          <span
            className={`text-[clamp(5rem,22vw,9rem)] leading-[0.9] print:text-[8rem] ${isOwn ? 'underline decoration-gold-strong decoration-8 underline-offset-[0.1em]' : ''}`}
          >
            {year}
          </span>
        </h1>
        <p
          className={`mt-2 flex w-full flex-wrap items-center gap-2 text-lg ${hasPhotos ? 'lg:order-1' : 'min-[88rem]:order-1'}`}
        >
          <span>
            <Link
              className="font-bold hover:underline"
              to={`${paths.dashboard}?${new URLSearchParams({ department })}`}
            >
              {department}
            </Link>
            {count !== undefined && count > 0 && (
              <span className="text-ink-soft nums">{` · ${formatPeople(count)}`}</span>
            )}
          </span>
          {isOwn && (
            <span className="inline-block rounded-full bg-gold px-3 py-1 text-sm font-semibold text-gold-ink">
              Your class
            </span>
          )}
          {isOwn && (
            <Link className="link inline-flex min-h-11 items-center text-base print:hidden" to={careerFormPath}>
              Add where you are now
            </Link>
          )}
        </p>
        <div
          className={`flex min-w-0 flex-wrap gap-2 max-sm:w-full max-sm:*:grow md:gap-3 ${hasPhotos ? 'lg:max-w-[46%] lg:justify-end' : ''}`}
        >
          {!failed && <ClassPhotos year={year} photos={loaded.found.photos} />}
          {isMember(user) && (
            <Link className={action} to={toCareersPath({ department, graduatedFrom: year, graduatedTo: year })}>
              Where are they now?
            </Link>
          )}
          <Share url={url} title={`Class of ${year}, ${department}`} />
        </div>
      </header>
      {failed ? (
        <FetchFailure reason={loaded.reason} busy={state === 'loading'} onRetry={() => void revalidate()} />
      ) : (
        <Found {...loaded} {...loaded.found} />
      )}
    </div>
  );
}

const action =
  'button inline-flex min-h-11 items-center justify-center rounded-control border border-line-strong bg-raised px-4 py-2 font-semibold hover:bg-wash print:hidden';

function ClassPhotos({ year, photos }: { year: number; photos: FoundProps['photos'] }) {
  const user = useUser();
  const album = withParam(paths.gallery, 'album', albumOf(year));
  if (photos.length === 0)
    return (
      isMember(user) && (
        <Link to={album} className={`${action} gap-2`}>
          <Icon name="image-plus" />
          <span className="max-sm:sr-only">Add the first photo of {year}</span>
        </Link>
      )
    );
  return (
    <Link
      to={album}
      aria-label={`Photos of the class of ${year}`}
      className="grid w-full auto-cols-fr grid-flow-col gap-2 lg:auto-cols-[minmax(0,11rem)] lg:justify-end print:hidden"
    >
      {photos.map(({ id, thumb, title }) => (
        <img
          key={id}
          src={thumb}
          alt={title}
          decoding="async"
          className="h-32 w-full bg-line object-cover object-[50%_25%] print-shape max-lg:min-w-28 sm:h-44"
        />
      ))}
    </Link>
  );
}

type FoundProps = Extract<ClassData, { failed: false }>['found'] & Pick<ClassData, 'department' | 'year'>;

function Found({ department, year, cards, count, previous, next }: FoundProps) {
  const user = useUser();
  const list = `${paths.dashboard}?${new URLSearchParams({ department, year: String(year) })}`;
  return (
    <>
      {cards.length === 0 ? (
        <EmptyState drawing="gown" title="No people to show in this class">
          People appear here when they join, and when they show their department and year to you.
        </EmptyState>
      ) : (
        <ul className="cards my-6 print:grid-cols-4 print:gap-x-6">
          {cards.map((card, index) => (
            <li key={card.id} className="relative break-inside-avoid">
              <GridCard card={card} isFirst={index < 4} isInClass />
              {card.id === user?.uid && (
                <span className="absolute top-2 right-2 rounded-full bg-gold px-2.5 text-sm font-semibold text-gold-ink">
                  You
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {count > cards.length && (
        <p className="my-6 print:hidden">
          {`The first ${cards.length} of ${count.toLocaleString('en')} people are shown. `}
          <Link className="link" to={list}>
            Show the whole class as a list
          </Link>
        </p>
      )}
      <nav aria-label="Other classes" className="flex justify-between gap-4 border-t border-line pt-4 print:hidden">
        <Neighbour department={department} neighbour={previous} label="Class before" />
        <Neighbour department={department} neighbour={next} label="Class after" />
      </nav>
    </>
  );
}

interface NeighbourProps {
  department: string;
  neighbour: FoundProps['previous'];
  label: string;
}

function Neighbour({ department, neighbour, label }: NeighbourProps) {
  if (!neighbour) return <span />;
  const { value: year, count } = neighbour;
  return (
    <Link to={paths.classOf(department, year)} className="group grid min-h-11 last:text-right">
      <span className="text-sm text-ink-soft">{label}</span>{' '}
      <span className="year text-3xl text-brand group-hover:underline">{year}</span>{' '}
      <span className="text-sm text-ink-soft nums">{formatPeople(count)}</span>
    </Link>
  );
}

function Share({ url, title }: { url: string; title: string }) {
  const share = (event: MouseEvent) => {
    if (!('share' in navigator)) return;
    event.preventDefault();
    // Rejected when the user closes the share sheet.
    navigator.share({ title, url }).catch(() => undefined);
  };
  return (
    <a
      href={`https://wa.me/?text=${encodeURIComponent(`${title}: ${url}`)}`}
      target="_blank"
      rel="noreferrer"
      onClick={share}
      className={action}
    >
      Share<span className="sr-only">&nbsp;this class</span>
    </a>
  );
}

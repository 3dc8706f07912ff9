import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';
import { formatPeople } from '#contract/counts.ts';
import type { CardPage } from '#contract/directory.ts';
import { cardsPerPage } from '#contract/page-sizes.ts';
import { paths } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { ButtonLink } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import type { YearAxis } from '#web/domain/year-list.ts';
import { reword } from '#web/platform/words.ts';
import { CardSections } from './card-sections.tsx';
import { type DirectoryView, firstClassOf, sortOf, toViewPath } from './filters.ts';
import { ViewFields } from './view-fields.tsx';
import { getVisit } from './visits.ts';

interface Props {
  /** No viewer may see cards loaded for another one. */
  viewer: string;
  view: DirectoryView;
  first: CardPage;
  count: number;
  years: YearAxis;
}

/** Further pages load only on request, because users pay for their data. */
export function CardPages({ viewer, view, first, count, years }: Props) {
  const { key } = useLocation();
  const user = useUser();
  const [more, setMore] = useState<CardPage[]>(() => {
    const restored = getVisit(viewer, key).morePages;
    return restored && restored.after === first.items.at(-1)?.id ? restored.pages : [];
  });
  const [state, setState] = useState<'idle' | 'loading' | { reason: string | undefined }>('idle');
  const list = useRef<HTMLDivElement>(null);
  const firstNewId = useRef<string>(undefined);
  useEffect(() => {
    // The button that had the focus moved below the new cards, so the first new card gets the focus.
    if (firstNewId.current)
      list.current
        ?.querySelector<HTMLElement>(`a[href="${paths.user(firstNewId.current)}"]`)
        ?.focus({ preventScroll: true });
    firstNewId.current = undefined;
  }, [more]);
  const failure = typeof state === 'object' && state;
  const pages = [first, ...more];
  const next = pages.at(-1)?.next ?? null;
  const shown = pages.reduce((sum, { items }) => sum + items.length, 0);

  async function showMore(after: string) {
    setState('loading');
    try {
      const query = { ...view.filters, sort: sortOf(view, user), firstClass: firstClassOf(view, user), after };
      const page = await callApi('GET /api/users', { query });
      const allPages = [...more, page];
      getVisit(viewer, key).morePages = { after: first.items.at(-1)?.id, pages: allPages };
      firstNewId.current = page.items[0]?.id;
      setMore(allPages);
      setState('idle');
    } catch (error) {
      setState({ reason: problemOf(error).detail });
    }
  }

  if (first.items.length === 0) return <EmptyList view={view} />;
  return (
    <div ref={list}>
      <p role="status" className="sr-only">
        {more.length > 0 && `${shown} of ${count} people shown`}
      </p>
      <CardSections view={view} years={years} pages={pages} />
      <div className="grid justify-items-center gap-3 py-6 text-center print:hidden">
        {failure && next !== null && <FetchFailure reason={failure.reason} onRetry={() => void showMore(next)} />}
        {next === null ? (
          <p className="text-ink-soft">End of the list: {formatPeople(count)}</p>
        ) : (
          !failure && (
            <MoreButton view={view} next={next} isBusy={state === 'loading'} onMore={() => void showMore(next)} />
          )
        )}
      </div>
    </div>
  );
}

interface MoreButtonProps {
  view: DirectoryView;
  next: string;
  isBusy: boolean;
  onMore: () => void;
}

function MoreButton({ view, next, isBusy, onMore }: MoreButtonProps) {
  return (
    <form
      action={paths.dashboard}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) onMore();
      }}
    >
      <ViewFields view={{ ...view, after: next }} />
      {/* Not disabled while busy: a disabled button loses the focus. */}
      <button
        type="submit"
        aria-disabled={isBusy}
        className="min-h-11 rounded-control border border-line-strong bg-raised px-3 font-semibold hover:bg-wash aria-disabled:opacity-60"
      >
        {isBusy ? 'Loading...' : `Show ${cardsPerPage} more`}
      </button>
    </form>
  );
}

const EmptyList = ({ view }: { view: DirectoryView }) => (
  <EmptyState
    drawing="bus"
    title="No people to show"
    action={
      <ButtonLink to={toViewPath({ filters: {}, layout: view.layout })}>{reword('Show all departments')}</ButtonLink>
    }
  >
    {reword('No people match these filters. Show all departments, or invite people you know to join.')}
  </EmptyState>
);

import { type MouseEvent, useEffect, useRef } from 'react';
import { Link, useNavigation, useRevalidator } from 'react-router';
import type { ReviewItem } from '#contract/staff/review.ts';
import { withParam } from '#web/domain/paths.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Day } from '#web/ui/day.tsx';
import { MoreButton } from '#web/ui/more-button.tsx';
import { staffPath } from '../staff-paths.ts';
import { FilterLinks } from '../ui/filter-links.tsx';
import { Key } from '../ui/key.tsx';
import { WaitingTime } from '../ui/waiting-time.tsx';
import { ConfirmTogether } from './confirm-together.tsx';
import { EmptyQueue } from './empty-queue.tsx';
import { QueueFilterForm, pathOf } from './queue-filter.tsx';
import { ScriptNote } from './item-notices.tsx';
import { reviewDetails } from './review-details.ts';
import { keyOf, nameOf, outcomeLabelOf, reasonOf } from './review-items.ts';
import type { Queue } from './use-queue.ts';

interface Props {
  queue: Queue;
  openKey: string | null;
  onShowShortcuts: () => void;
  className: string;
}

const formatCount = (count: number, hasMore: boolean): string => `${count.toLocaleString('en')}${hasMore ? '+' : ''}`;

/** Items that the user decides stay where they are until the list loads again. */
export function QueueList({ queue, openKey, onShowShortcuts, className }: Props) {
  const { state, filter, departments } = queue.data;
  const { kind } = filter;
  const Heading = openKey === null ? 'h1' : 'h2';
  const counts = countWaiting(queue);
  const sum = counts.reduce((all, { waiting }) => all + waiting, 0);
  const total = formatCount(
    sum,
    counts.some(({ hasMore }) => hasMore),
  );
  // A kind without items takes no room, but does not disappear while its last item is decided.
  const shownKinds = counts.filter((count) => count.isListed || count.kind === kind);
  const path = pathOf(filter);
  const decidedPath = withParam(path, 'state', 'decided');
  const toDecided = { to: decidedPath, label: 'Decided', isCurrent: false };
  const [navigation, revalidator] = [useNavigation(), useRevalidator()];
  const isLoading = navigation.state !== 'idle' || revalidator.state === 'loading';
  return (
    <section aria-label="Items" className={`flex min-h-0 flex-col lg:h-dvh lg:border-r lg:border-line ${className}`}>
      <div className="relative border-b border-line px-4 pt-4 pb-2 lg:pt-5">
        <div className="flex items-center justify-between gap-3 pr-8">
          <Heading className="text-xl font-bold lg:text-lg">Review queue</Heading>
          <button
            type="button"
            aria-keyshortcuts="?"
            className="-mr-2 flex min-h-9 shrink-0 items-center gap-2 rounded-control px-2 text-sm text-ink-soft hover:bg-wash max-lg:hidden"
            onClick={onShowShortcuts}
          >
            Shortcuts <Key of="?" />
          </button>
        </div>
        <QueueFilterForm key={path} filter={filter} state={state} departments={departments} />
        {state === 'decided' ? (
          <div className="mt-1">
            <FilterLinks
              label="Kind of item"
              links={[
                { to: path, label: 'Waiting', count: total, isCurrent: false },
                { to: decidedPath, label: 'All decided', isCurrent: kind === undefined },
                ...counts.map((count) => ({
                  to: withParam(decidedPath, 'kind', count.kind),
                  label: reviewDetails[count.kind].pluralLabel,
                  isCurrent: kind === count.kind,
                })),
              ]}
            />
          </div>
        ) : shownKinds.length <= 1 ? (
          <div className="flex flex-wrap items-center justify-between gap-x-3">
            <p className="nums text-sm text-ink-soft">{total} waiting</p>
            <FilterLinks label="Kind of item" links={[toDecided]} />
          </div>
        ) : (
          <div className="mt-1">
            <FilterLinks
              label="Kind of item"
              links={[
                { to: path, label: 'All', count: total, isCurrent: kind === undefined },
                ...shownKinds.map((count) => ({
                  to: withParam(path, 'kind', count.kind),
                  label: reviewDetails[count.kind].pluralLabel,
                  count: formatCount(count.waiting, count.hasMore),
                  isCurrent: kind === count.kind,
                })),
                toDecided,
              ]}
            />
          </div>
        )}
        {state === 'open' && <ConfirmTogether items={queue.items} />}
      </div>
      {openKey === null && <ScriptNote />}
      {queue.items.length === 0 ? (
        // On wide screens the place beside the list says the same.
        <div className="px-4 lg:hidden">
          <EmptyQueue {...queue.data} />
        </div>
      ) : (
        <ol className="relative min-h-0 grow overflow-y-auto pb-20" aria-busy={isLoading}>
          {queue.items.map((item) => (
            <Row key={keyOf(item)} item={item} queue={queue} isOpen={keyOf(item) === openKey} />
          ))}
          {queue.hasMore && (
            <li className="p-4">
              <MoreButton busy={queue.isLoadingMore} onMore={() => void queue.loadMore()}>
                Show more
              </MoreButton>
            </li>
          )}
        </ol>
      )}
    </section>
  );
}

/** The server has counted without the decisions that it knew. */
const countWaiting = ({ data, items, decidedKeys }: Queue) =>
  data.queue.counts.map(({ kind, waiting, hasMore }) => {
    const isDecided = (item: ReviewItem) => item.kind === kind && !item.decision && decidedKeys.has(keyOf(item));
    const decided = data.state === 'decided' ? 0 : items.filter(isDecided).length;
    return { kind, hasMore, isListed: waiting > 0, waiting: waiting - decided };
  });

function Row({ item, queue, isOpen }: { item: ReviewItem; queue: Queue; isOpen: boolean }) {
  const key = keyOf(item);
  const ref = useRef<HTMLLIElement>(null);
  const own = queue.decisions.find((one) => one.key === key);
  const outcome = own?.outcome ?? item.decision?.outcome;
  const failure = queue.failures[key];
  useEffect(() => {
    if (isOpen) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  function open(event: MouseEvent) {
    // Other clicks open a new tab.
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    queue.open(key);
  }
  return (
    <li ref={ref} className="scroll-mb-24 border-b border-line">
      <Link
        to={staffPath('review', key)}
        data-row=""
        aria-current={isOpen ? 'true' : undefined}
        className="grid min-h-16 grid-cols-[minmax(0,1fr)] gap-0.5 px-4 py-2.5 -outline-offset-3 hover:bg-wash aria-[current]:bg-wash aria-[current]:bg-size-[3px_100%]! aria-[current]:marked"
        onClick={open}
      >
        <span className="flex items-baseline justify-between gap-3">
          <span
            className={`line-clamp-2 min-w-0 wrap-break-word ${outcome === undefined ? 'font-semibold' : 'text-ink-soft'}`}
            title={nameOf(item)}
          >
            {nameOf(item)}
          </span>{' '}
          <span className="nums shrink-0 text-sm text-ink-soft">
            {item.closed ? (
              <Day of={item.closed.at} />
            ) : outcome === undefined ? (
              <>
                <span className="sr-only">waiting </span>
                <WaitingTime since={item.since} />
              </>
            ) : own?.isSaved === false ? (
              'Saving...'
            ) : (
              <span className="flex items-center gap-1">
                <Icon name="check" className="size-3.5" />
                {outcomeLabelOf(item.kind, outcome)}
              </span>
            )}
          </span>
        </span>{' '}
        {item.about !== '' && (
          <span className="nums line-clamp-2 text-sm wrap-break-word text-ink-soft">{item.about}</span>
        )}{' '}
        <span className="truncate text-sm text-ink-soft">
          {reviewDetails[item.kind].label} ·{' '}
          {item.closed ? outcomeLabelOf(item.kind, item.closed.outcome).toLowerCase() : reasonOf(item)}
          {item.noteCount > 0 && ` · ${item.noteCount} ${item.noteCount === 1 ? 'note' : 'notes'}`}
        </span>{' '}
        {item.askedAt && !item.closed && (
          <span className="text-xs font-medium">
            {item.answeredAt ? 'Answered' : 'Question asked'}, <Day of={item.answeredAt ?? item.askedAt} />
          </span>
        )}{' '}
        {item.lease && !item.lease.isOwn && (
          <span className="flex items-center gap-1 text-xs font-medium text-ink-soft">
            <Icon name="eye" className="size-3.5 shrink-0" />
            <span className="truncate">Opened by {item.lease.by}</span>
          </span>
        )}
        {(failure !== undefined || item.failure !== null) && outcome === undefined && (
          <span className="flex items-center gap-1 text-xs font-semibold text-danger">
            <Icon name="circle-exclamation-point" className="size-3.5 shrink-0" />
            {failure ? 'Your decision was not saved' : 'The decision could not be carried out'}
          </span>
        )}
      </Link>
    </li>
  );
}

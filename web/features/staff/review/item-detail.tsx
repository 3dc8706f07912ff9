import { type ReactNode, useEffect } from 'react';
import { Link, useLocation, useRevalidator } from 'react-router';
import type { ReviewItem } from '#contract/staff/review.ts';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { staffPath } from '../staff-paths.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { WaitingTime } from '../ui/waiting-time.tsx';
import { ClosedItemNotice, ClosedLine } from './closed-item.tsx';
import { OpenItem } from './decision-bar.tsx';
import { Decided, Gone, LeasedByOther, NextButton, NotSaved, Notice, ScriptNote } from './item-notices.tsx';
import { Notes } from './notes.tsx';
import { reviewDetails } from './review-details.ts';
import { itemOfKey, keyOf, nameOf, reasonOf } from './review-items.ts';
import { useLease } from './use-lease.ts';
import type { Queue } from './use-queue.ts';

interface Props {
  itemKey: string;
  /** Null if the list does not have it, for example another page of it. */
  item: ReviewItem | null;
  queue: Queue;
  lastDecisions: ReactNode;
}

export function ItemDetail({ itemKey, item: listed, queue, lastDecisions }: Props) {
  const { revalidate } = useRevalidator();
  const { search } = useLocation();
  const { opened, problem } = queue.loaded[itemKey] ?? {};
  // What was loaded later may say that another member of staff has decided.
  const item = opened?.item.closed ? opened.item : (listed ?? opened?.item ?? null);
  const closed = item?.closed ?? null;
  const isDecided = queue.decidedKeys.has(itemKey) || closed !== null || (item !== null && item.decision !== null);
  const isGone = problem?.status === 404;
  const hadLease = useLease(item && itemKey, queue, isDecided);
  // After the revalidation, the frame asks for the password.
  const needsPassword = problem?.code === 'auth/requires-recent-login';
  useEffect(() => {
    if (needsPassword) void revalidate();
  }, [needsPassword, revalidate]);
  const kind = itemOfKey(itemKey)?.kind ?? 'claim';
  const detail = reviewDetails[kind];
  const failure = queue.failures[itemKey];
  const isLeasedByOther = item?.lease?.isOwn === false;
  const notice = isGone ? (
    <Gone queue={queue} />
  ) : isDecided ? (
    item && <Decided item={item} itemKey={itemKey} queue={queue} />
  ) : isLeasedByOther ? (
    item?.lease && <LeasedByOther by={item.lease.by} isTakenOver={hadLease} itemKey={itemKey} queue={queue} />
  ) : (
    failure && <NotSaved failure={failure} onRetry={() => queue.retry(itemKey)} />
  );
  return (
    <article className="flex min-h-[calc(100dvh-3.5rem)] flex-col gap-5 px-4 pt-2 lg:min-h-full lg:px-6 lg:pt-5">
      <ScriptNote />
      <header>
        <Link
          to={staffPath('review') + search}
          aria-keyshortcuts="Escape"
          className="-ml-1 inline-flex min-h-11 items-center px-1 text-sm lg:hidden"
        >
          <span aria-hidden="true">←&nbsp;</span>
          <span className="link">Review queue</span>
        </Link>
        <h1 className="mb-1 text-xl font-bold wrap-break-word lg:text-2xl">
          {item ? nameOf(item) : problem ? 'Not found' : 'Loading...'}
        </h1>
        {item && (
          <p className="text-sm text-ink-soft">
            {detail.label} ·{' '}
            {closed ? (
              <ClosedLine kind={kind} closed={closed} />
            ) : (
              <>
                {reasonOf(item)} · waiting <WaitingTime since={item.since} />
              </>
            )}
          </p>
        )}
        {item?.reopenedFrom && (
          <p className="text-sm">
            Reopened.{' '}
            <Link to={staffPath('review', keyOf({ kind, id: item.reopenedFrom }))} className="link">
              See the earlier decision
            </Link>
          </p>
        )}
      </header>
      {item?.failure && !isDecided && (
        <Notice icon="circle-exclamation-point">The last decision could not be carried out: {item.failure}</Notice>
      )}
      {opened ? (
        <OpenItem
          value={{
            isLocked: isDecided || isLeasedByOther || isGone,
            texts: queue.textsOf(itemKey),
            lastDecisions,
            notice,
            closedNotice: item && closed && (
              <ClosedItemNotice
                item={item}
                closed={closed}
                takeBack={detail.takeBack?.(opened.data, closed.outcome)}
                onReopened={() => void queue.reload(itemKey)}
              />
            ),
          }}
        >
          {/* The fields start again from the decision that was not saved. */}
          <div key={failure?.message} className="flex grow flex-col gap-6">
            <detail.Component
              data={opened.data}
              failed={failure?.decision ?? null}
              notes={
                <Notes
                  itemKey={itemKey}
                  notes={opened.notes}
                  canAdd={closed === null}
                  onAdd={(note) => queue.addNote(itemKey, note)}
                />
              }
              onChanged={() => void queue.reload(itemKey)}
              onDecide={(decision) => queue.decide(itemKey, decision, opened.data.version)}
            />
          </div>
        </OpenItem>
      ) : isGone ? (
        <EmptyState drawing="hall" title="This item is not here">
          <p>It was deleted, waits for the decision about a dispute, or is outside your part of the institution.</p>
          <div className="mt-4">
            <NextButton queue={queue} />
          </div>
        </EmptyState>
      ) : problem ? (
        <FetchFailure onRetry={() => void queue.reload(itemKey)} />
      ) : (
        <Skeleton />
      )}
    </article>
  );
}

const Skeleton = () => (
  <div className="grid gap-3" aria-busy="true">
    <span className="sr-only" role="status">
      Loading...
    </span>
    {[1, 2, 3, 4, 5, 6].map((line) => (
      <div key={line} className="h-9 rounded-control bg-wash" />
    ))}
  </div>
);

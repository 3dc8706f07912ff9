import { type ReactNode, useEffect, useRef } from 'react';
import { useLocation, useRevalidator } from 'react-router';
import type { ReviewItem } from '#contract/staff-review.ts';
import { messageOf } from '../../../domain/messages.ts';
import { callApi, problemOf } from '../../../platform/api.ts';
import { Link } from '../../../platform/link.tsx';
import { Button } from '../../../ui/button.tsx';
import { FetchFailure } from '../../../ui/fetch-failure.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { toast } from '../../../ui/toasts.ts';
import { staffPath } from '../staff-paths.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { WaitingTime } from '../ui/waiting-time.tsx';
import { DecisionLock } from './decision-bar.tsx';
import { useCachedItem } from './item-cache.ts';
import { Notes } from './notes.tsx';
import { reviewDetails } from './review-details.ts';
import { itemOfKey, nameOf, outcomeInWords, reasonInWords } from './review-items.ts';
import type { Queue } from './use-queue.ts';

interface Props {
  itemKey: string;
  /** The item in the list; null if the list does not have it, for example another page of it. */
  item: ReviewItem | null;
  queue: Queue;
}

/** Shows one item: what all kinds have in common, and around it what its kind shows. The item is held while it is open. */
export function ItemDetail({ itemKey, item: listed, queue }: Props) {
  const entry = useCachedItem(queue.cache, itemKey);
  const { revalidate } = useRevalidator();
  const { search } = useLocation();
  const { opened, problem } = entry ?? {};
  const item = listed ?? opened?.item ?? null;
  const isDecided = queue.decidedKeys.has(itemKey);
  useHold(itemKey, queue, isDecided);
  // After the revalidation, the frame asks for the password.
  const needsPassword = problem?.code === 'auth/requires-recent-login';
  useEffect(() => {
    if (needsPassword) void revalidate();
  }, [needsPassword, revalidate]);
  const kind = itemOfKey(itemKey)?.kind ?? 'claim';
  const detail = reviewDetails[kind];
  const failure = queue.failures[itemKey];
  const hold = item?.hold?.isOwn === false ? item.hold : null;
  return (
    <article className="flex min-h-[calc(100dvh-3.5rem)] flex-col gap-5 px-4 pt-2 lg:min-h-full lg:px-6 lg:pt-5">
      <header>
        <Link
          to={staffPath('review') + search}
          aria-keyshortcuts="Escape"
          className="-ml-1 inline-flex min-h-11 items-center px-1 text-sm lg:hidden"
        >
          <span aria-hidden="true">←&nbsp;</span>
          <span className="link">Review queue</span>
        </Link>
        <h1 className="text-xl font-bold wrap-anywhere lg:text-2xl">
          {item ? nameOf(item) : problem ? 'Not in the queue' : 'Loading...'}
        </h1>
        {item && (
          <p className="text-sm text-ink-soft">
            {detail?.label ?? kind} · {reasonInWords(item)} · waiting <WaitingTime since={item.since} />
          </p>
        )}
      </header>
      {hold && (
        <Notice icon="eye">
          <span className="grow">{hold.by} has opened this item and may be deciding it.</span>
          <Button look="quiet" onClick={() => void takeOver(itemKey, queue)}>
            Take over
          </Button>
        </Notice>
      )}
      {item?.failure && !isDecided && (
        <Notice icon="circle-exclamation-point">The last decision could not be carried out: {item.failure}</Notice>
      )}
      {failure && <Notice icon="circle-exclamation-point">Your decision was not saved: {failure.message}</Notice>}
      {isDecided && item && <Decided item={item} itemKey={itemKey} queue={queue} />}
      {opened && detail ? (
        <DecisionLock value={isDecided || hold !== null}>
          {/* The fields start again from the decision that was not saved. */}
          <div key={failure?.message} className="flex grow flex-col gap-6">
            <detail.Component
              data={opened.data}
              failed={failure?.decision ?? null}
              notes={
                <Notes
                  itemKey={itemKey}
                  notes={opened.notes}
                  onAdd={(note) => {
                    queue.cache.update(itemKey, { ...opened, notes: [...opened.notes, note] });
                    queue.countNote(itemKey);
                  }}
                />
              }
              onDecide={(decision) => queue.decide(itemKey, decision, opened.data.version)}
            />
          </div>
        </DecisionLock>
      ) : problem ? (
        <NotLoaded isGone={problem.status === 404} itemKey={itemKey} queue={queue} />
      ) : (
        <Skeleton />
      )}
    </article>
  );
}

/** Holds the open item, and ends the hold when the user leaves it undecided. */
function useHold(itemKey: string, { setHold }: Queue, isDecided: boolean): void {
  const wasDecided = useRef(isDecided);
  useEffect(() => void (wasDecided.current = isDecided), [isDecided]);
  useEffect(() => {
    const params = itemOfKey(itemKey);
    if (!params || wasDecided.current) return undefined;
    let hasLeft = false;
    callApi('PUT /api/staff/queue/{kind}/{id}/hold', { params, body: {} }).then(
      (hold) => {
        if (!hasLeft) setHold(itemKey, hold);
      },
      // The item can be decided without a hold.
      () => undefined,
    );
    return () => {
      hasLeft = true;
      if (wasDecided.current) return;
      callApi('DELETE /api/staff/queue/{kind}/{id}/hold', { params }).catch(() => undefined);
      setHold(itemKey, null);
    };
  }, [itemKey, setHold]);
}

async function takeOver(itemKey: string, { setHold }: Queue): Promise<void> {
  const params = itemOfKey(itemKey);
  if (!params) return;
  try {
    setHold(itemKey, await callApi('PUT /api/staff/queue/{kind}/{id}/hold', { params, body: { takeOver: true } }));
  } catch (error) {
    toast('error', messageOf(problemOf(error)));
  }
}

function Decided({ item, itemKey, queue }: { item: ReviewItem; itemKey: string; queue: Queue }) {
  const own = queue.decisions.find(({ key }) => key === itemKey);
  const outcome = own?.outcome ?? item.decision?.outcome;
  if (outcome === undefined) return null;
  return (
    <Notice icon="check">
      <span className="grow">
        {outcomeInWords(item.kind, outcome)}
        {own || item.decision?.isOwn ? '.' : ` by ${item.decision?.by}.`} The decision takes effect 30 seconds after it
        is made.
      </span>
      {own && !own.isOver && (
        <Button look="quiet" onClick={() => void queue.undo(own)}>
          Undo
        </Button>
      )}
    </Notice>
  );
}

function NotLoaded({ isGone, itemKey, queue }: { isGone: boolean; itemKey: string; queue: Queue }) {
  if (!isGone) return <FetchFailure onRetry={() => queue.cache.load(itemKey)} />;
  return (
    <EmptyState drawing="hall" title="This item is no longer in the queue">
      <p>Someone else has decided it, or the person has withdrawn it.</p>
      <Button look="quiet" className="mt-4" onClick={() => queue.open(queue.nextKey)}>
        {queue.nextKey === null ? 'Back to the queue' : 'Open the next item'}
      </Button>
    </EmptyState>
  );
}

const Notice = ({ icon, children }: { icon: 'eye' | 'check' | 'circle-exclamation-point'; children: ReactNode }) => (
  <div
    role="status"
    className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control px-4 py-2.5 ${icon === 'circle-exclamation-point' ? 'bg-danger-soft' : 'bg-wash'}`}
  >
    <Icon name={icon} className="size-5 shrink-0" />
    <div className="flex min-w-0 grow basis-48 flex-wrap items-center gap-x-3 gap-y-2 wrap-anywhere">{children}</div>
  </div>
);

/** Shows blocks where the values will be. */
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

import type { ReactNode } from 'react';
import type { ReviewItem } from '#contract/staff/review.ts';
import { useAction } from '#web/domain/use-action.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { outcomeLabelOf } from './review-items.ts';
import { takeOver } from './use-lease.ts';
import type { FailedDecision, Queue } from './use-queue.ts';

interface Props {
  icon: 'eye' | 'check' | 'circle-exclamation-point';
  children: ReactNode;
  action?: ReactNode;
}

export const Notice = ({ icon, children, action }: Props) => (
  <div
    role="status"
    className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-control px-4 py-2.5 ${icon === 'circle-exclamation-point' ? 'bg-danger-soft' : 'bg-wash'}`}
  >
    <Icon name={icon} className="size-5 shrink-0" />
    <p className="min-w-0 grow basis-48 wrap-anywhere">{children}</p>
    {action}
  </div>
);

export const ScriptNote = () => (
  <noscript>
    <p className="rounded-control bg-wash px-4 py-2.5">
      You need JavaScript to decide. Turn on JavaScript in your browser and reload this page.
    </p>
  </noscript>
);

export function LeasedByOther({
  by,
  isTakenOver,
  itemKey,
  queue,
}: {
  by: string;
  isTakenOver: boolean;
  itemKey: string;
  queue: Queue;
}) {
  const { isBusy, run } = useAction();
  return (
    <Notice
      icon="eye"
      action={
        <Button variant="quiet" busy={isBusy && 'Taking over...'} onClick={() => run(() => takeOver(itemKey, queue))}>
          {isTakenOver ? 'Take it back' : 'Take over'}
        </Button>
      }
    >
      {isTakenOver
        ? `${by} has taken over this item. What you have typed is still here.`
        : `${by} has opened this item and may be deciding it.`}
    </Notice>
  );
}

export function Decided({ item, itemKey, queue }: { item: ReviewItem; itemKey: string; queue: Queue }) {
  const own = queue.decisions.find(({ key }) => key === itemKey);
  const outcome = own?.outcome ?? item.decision?.outcome;
  if (outcome === undefined) return null;
  const words = outcomeLabelOf(item.kind, outcome);
  const isOwn = own !== undefined || item.decision?.isOwn;
  return (
    <Notice
      icon="check"
      action={
        own &&
        !own.isOver && (
          <Button variant="quiet" onClick={() => void queue.undo(own)}>
            Undo
          </Button>
        )
      }
    >
      {isOwn ? words : `Decided by ${item.decision?.by}: ${words.toLowerCase()}`}. The decision takes effect 30 seconds
      after it is made.
    </Notice>
  );
}

export const Gone = ({ queue }: { queue: Queue }) => (
  <Notice icon="eye" action={<NextButton queue={queue} />}>
    This item is no longer in the queue: it was deleted, or waits for the decision about a dispute.
  </Notice>
);

export const NextButton = ({ queue }: { queue: Queue }) => (
  <Button variant="quiet" onClick={() => queue.open(queue.nextKey)}>
    {queue.nextKey === null ? 'Back to the queue' : 'Open the next item'}
  </Button>
);

export const NotSaved = ({ failure, onRetry }: { failure: FailedDecision; onRetry: () => void }) => (
  <Notice
    icon="circle-exclamation-point"
    action={
      failure.canRetry && (
        <Button variant="quiet" onClick={onRetry}>
          Send again
        </Button>
      )
    }
  >
    Your decision was not saved: {failure.message}
  </Notice>
);

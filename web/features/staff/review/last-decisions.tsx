import { undoSeconds } from '#contract/staff/values.ts';
import { useAction } from '#web/domain/use-action.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { Button } from '#web/ui/button.tsx';
import { UndoBar } from '../ui/undo-bar.tsx';
import { itemOfKey, outcomeLabelOf } from './review-items.ts';
import type { Queue } from './use-queue.ts';

export const LastDecisions = ({ queue, openKey }: { queue: Queue; openKey: string | null }) => (
  <div className="grid gap-2">
    <Unsaved queue={queue} openKey={openKey} />
    <Undo queue={queue} />
  </div>
);

/** The open item shows its own failure. */
function Unsaved({ queue, openKey }: { queue: Queue; openKey: string | null }) {
  const failures = Object.entries(queue.failures).filter(([key]) => key !== openKey);
  const [first] = failures;
  const toRetry = failures.filter(([, { canRetry }]) => canRetry);
  return (
    <div role="status" className="empty:hidden">
      {first && (
        <div className="flex flex-wrap items-center gap-x-3 rounded-card border border-danger bg-raised py-2 pr-1 pl-4 floating">
          <p className="min-w-0 grow basis-40 text-sm wrap-anywhere">
            <strong className="text-danger">
              {failures.length === 1
                ? `Not saved: ${first[1].name}. `
                : `${failures.length} decisions were not saved. `}
            </strong>
            {first[1].message}
          </p>
          <div className="ml-auto flex shrink-0">
            <Button variant="bare" onClick={() => queue.open(first[0])}>
              Open
            </Button>
            {toRetry.length > 0 && (
              <Button variant="bare" onClick={() => toRetry.forEach(([key]) => queue.retry(key))}>
                Send again
              </Button>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function Undo({ queue }: { queue: Queue }) {
  const isHydrated = useHydrated();
  const { isBusy, run } = useAction();
  const last = queue.decisions.findLast(({ isOver }) => !isOver);
  const kind = last && itemOfKey(last.key)?.kind;
  const text = last && kind ? `${outcomeLabelOf(kind, last.outcome)}: ${last.name}` : null;
  return (
    <UndoBar
      text={isHydrated ? text : null}
      id={last ? `${last.key} ${last.undoUntil}` : ''}
      seconds={undoSeconds}
      busy={isBusy}
      shortcut="u"
      onUndo={() => {
        if (last) void run(() => queue.undo(last));
      }}
    />
  );
}

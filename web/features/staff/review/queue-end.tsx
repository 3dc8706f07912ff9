import { Button } from '#web/ui/button.tsx';
import { Drawing } from '#web/ui/drawing.tsx';
import { EmptyQueue } from './empty-queue.tsx';
import { keyOf } from './review-items.ts';
import type { Queue } from './use-queue.ts';

export function QueueEnd({ queue }: { queue: Queue }) {
  if (queue.data.state === 'decided' && queue.items.length > 0)
    return (
      <div className="grid min-h-full place-content-center p-8 text-center">
        <p className="text-lg font-semibold">Open an item to read how it was decided</p>
        <p className="mt-2 max-w-[40ch] text-ink-soft">You can also reopen it with a reason.</p>
      </div>
    );
  if (queue.hasMore || queue.items.some((item) => !queue.decidedKeys.has(keyOf(item))))
    return (
      <div className="grid min-h-full place-content-center justify-items-center p-8 text-center">
        <Drawing name="hall" className="mb-4 h-24 w-40" />
        <p className="text-lg font-semibold">Open an item to decide it</p>
        <p className="mt-2 max-w-[40ch] text-ink-soft">
          An item is held for you while it is open. Other staff can decide it only if they take it over.
        </p>
        {queue.nextKey !== null && (
          <div className="mt-4">
            <Button onClick={() => queue.open(queue.nextKey)}>Open the first item</Button>
          </div>
        )}
      </div>
    );
  return (
    <div className="grid min-h-full place-content-center">
      <EmptyQueue {...queue.data} />
    </div>
  );
}

import { useRevalidator } from 'react-router';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import type { ReviewData } from './review-items.ts';

export function EmptyQueue({ state: listed, filter }: Pick<ReviewData, 'state' | 'filter'>) {
  const { revalidate, state } = useRevalidator();
  if (filter.name ?? filter.department ?? filter.hideAsked)
    return (
      <EmptyState drawing="hall" title="No item matches">
        <p>Remove the filter to see all items.</p>
      </EmptyState>
    );
  if (listed === 'decided')
    return (
      <EmptyState drawing="hall" title="Nothing decided yet">
        <p>Decided items appear here, the latest first.</p>
      </EmptyState>
    );
  return (
    <EmptyState drawing="rock" title="Nothing to decide">
      <p>New claims, disputes, reports, corrections and changes appear here, oldest first.</p>
      <Button
        variant="quiet"
        className="mt-4"
        busy={state === 'loading' && 'Checking...'}
        onClick={() => void revalidate()}
      >
        Check again
      </Button>
    </EmptyState>
  );
}

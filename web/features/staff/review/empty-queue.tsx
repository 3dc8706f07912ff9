import { useRevalidator } from 'react-router';
import { Button } from '../../../ui/button.tsx';
import { EmptyState } from '../ui/empty-state.tsx';

/** Shows that everything is decided, and looks for new items. */
export function EmptyQueue() {
  const { revalidate, state } = useRevalidator();
  return (
    <EmptyState drawing="rock" title="Nothing to decide">
      <p>New claims, disputes, reports, corrections and changes appear here, oldest first.</p>
      <Button
        look="quiet"
        className="mt-4"
        busy={state === 'loading' && 'Checking...'}
        onClick={() => void revalidate()}
      >
        Check again
      </Button>
    </EmptyState>
  );
}

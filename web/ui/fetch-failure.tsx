import { Button } from './button.tsx';

interface Props {
  onRetry: () => void;
  busy?: boolean;
  reason?: string | undefined;
}

/** The specification's message (section 8), with a retry button. */
export function FetchFailure({ onRetry, busy = false, reason }: Props) {
  return (
    <div
      role="alert"
      className="my-4 flex w-full flex-wrap items-center gap-x-4 gap-y-2 rounded-control border border-l-4 border-danger bg-raised px-3 py-2 text-left"
    >
      <p className="flex min-w-0 grow basis-60 flex-wrap gap-x-3 text-sm">
        <strong className="text-danger">ERROR: Failed to fetch data</strong>{' '}
        <span>{reason ?? 'We could not load this. Check your connection.'}</span>
      </p>
      <Button variant="quiet" className="shrink-0" busy={busy && 'Loading...'} onClick={onRetry}>
        TRY AGAIN
      </Button>
    </div>
  );
}

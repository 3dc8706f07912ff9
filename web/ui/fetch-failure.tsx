import { Button } from './button.tsx';

interface Props {
  onRetry: () => void;
  busy?: boolean;
  /** Reason of the failure, if neither the connection nor the server caused it. */
  reason?: string | undefined;
}

/** Shows the specification's message for a list or profile that failed to load (section 8), with a retry button. */
export function FetchFailure({ onRetry, busy = false, reason }: Props) {
  return (
    <div
      role="alert"
      className="my-6 grid justify-items-start gap-3 rounded-card border border-danger bg-danger-soft p-5"
    >
      <p className="font-semibold text-danger">ERROR: Failed to fetch data</p>
      <p className="text-sm">{reason ?? 'We could not load this. Check your connection.'}</p>
      <Button look="quiet" busy={busy && 'Loading...'} onClick={onRetry}>
        TRY AGAIN
      </Button>
    </div>
  );
}

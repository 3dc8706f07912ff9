import type { Sent } from './sent.ts';

/** What a form that was sent without scripts has to say as a whole; with scripts, toasts say it. */
export function SentNote({ sent }: { sent: Sent | undefined }) {
  return (
    <>
      {sent?.fault && (
        <p role="alert" className="rounded-card border border-danger bg-danger-soft p-4 font-semibold text-danger">
          {sent.fault}
        </p>
      )}
      {sent?.news && (
        <p role="status" className="rounded-card border border-brand-line bg-brand-soft p-4">
          {sent.news}
        </p>
      )}
    </>
  );
}

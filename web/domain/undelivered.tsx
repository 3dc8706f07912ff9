import { type ReactNode, useEffect } from 'react';
import { useRevalidator } from 'react-router';
import type { MailFault, UndeliverableAddress } from '#contract/identity.ts';
import { callApi } from '#web/platform/api.ts';
import { Icon } from '#web/ui/icon.tsx';

const reasons: Record<MailFault, string> = {
  'no-mailbox': 'The mail server says that this mailbox does not exist.',
  closed: 'The mail server says that this mailbox does not accept email.',
  reported: 'An email that we sent to this address was returned.',
};

export function UndeliveredNote({ of: { email, fault }, children }: { of: UndeliverableAddress; children: ReactNode }) {
  return (
    <div role="alert" className="flex items-start gap-3 rounded-card border border-danger bg-danger-soft p-4 text-sm">
      <Icon name="circle-exclamation-point" className="mt-0.5 size-5 shrink-0 text-danger" />
      <div className="grid gap-1">
        <p className="font-semibold text-danger">
          We could not deliver email to <span className="wrap-anywhere">{email}</span>
        </p>
        <p>
          {reasons[fault]} {children}
        </p>
      </div>
    </div>
  );
}

/** Delay of the first poll. It is short, because most mail servers reject an email within two seconds. */
const [firstPollMs, pollIntervalMs] = [2_500, 10_000];

/**
 * Reloads the page's data when email to an address of the user starts or stops bouncing.
 * @param current the state that the page shows
 * @param isWaiting whether an email was sent recently; if not, the page does not poll
 */
export function useUndeliveredPolling(current: UndeliverableAddress | null, isWaiting: boolean): void {
  const { revalidate } = useRevalidator();
  const before = JSON.stringify(current);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const ask = async () => {
      if (document.visibilityState !== 'visible') return;
      const answer = await callApi('GET /api/identity/verification').catch(() => null);
      if (answer && JSON.stringify(answer.undelivered) !== before) await revalidate();
    };
    const first = setTimeout(() => void ask(), firstPollMs);
    const later = setInterval(() => void ask(), pollIntervalMs);
    return () => {
      clearTimeout(first);
      clearInterval(later);
    };
  }, [isWaiting, before, revalidate]);
}

import { useState } from 'react';
import { useRevalidator } from 'react-router';
import type { ReviewItem } from '#contract/staff/review.ts';
import { maxDecidedTogether } from '#contract/staff/values.ts';
import { PasswordDialog } from '#web/domain/password-dialog.tsx';
import { callApi, problemOf } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { toast } from '#web/ui/toasts.ts';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';

/** Only claims that agree completely with the roster are confirmed together. */
export function ConfirmTogether({ items }: { items: readonly ReviewItem[] }) {
  const [open, setOpen] = useState<'question' | 'password' | null>(null);
  const { revalidate } = useRevalidator();
  const agreeing = items
    .filter(({ kind, reason, decision }) => kind === 'claim' && reason === 'agrees' && decision === null)
    .slice(0, maxDecidedTogether);
  if (agreeing.length < 2) return null;
  const confirm = async () => {
    try {
      const { decided } = await callApi('POST /api/staff/queue/claims/confirm', {
        body: { items: agreeing.map(({ id, version }) => ({ id, version })) },
      });
      setOpen(null);
      toast(
        'success',
        decided.length === 0
          ? 'No claim was confirmed. Decide them one by one.'
          : `${decided.length} of ${agreeing.length} claims confirmed. You can undo each for 30 seconds.`,
      );
      await revalidate();
    } catch (error) {
      if (problemOf(error).code !== 'auth/requires-recent-login') throw error;
      setOpen('password');
    }
  };
  return (
    <div className="pt-2">
      <Button variant="quiet" onClick={() => setOpen('question')}>
        Confirm {agreeing.length} that agree
      </Button>
      {open === 'question' && (
        <ConfirmDialog
          title={`Confirm up to ${agreeing.length} claims?`}
          action="Confirm"
          busy="Confirming..."
          variant="strong"
          onClose={() => setOpen(null)}
          onConfirm={confirm}
        >
          <p>
            Confirms each claim whose roster entry has an email address that was asked at least seven days ago and did
            not object. The other claims stay in the queue, and you decide them one by one.
          </p>
        </ConfirmDialog>
      )}
      {open === 'password' && (
        <PasswordDialog onClose={() => setOpen(null)} onTyped={async () => setOpen('question')} />
      )}
    </div>
  );
}

import { useState } from 'react';
import { useRevalidator } from 'react-router';
import type { EvidenceKind, Membership as MembershipData } from '#contract/membership.ts';
import { summarizeMembership } from '#web/domain/membership-summary.ts';
import { paths } from '#web/domain/paths.ts';
import { refreshUser } from '#web/domain/session.ts';
import { callApi } from '#web/platform/api.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { toast } from '#web/ui/toasts.ts';
import { Group } from '#web/ui/group.tsx';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';

const evidenceLabels: Record<EvidenceKind, string> = {
  'printed-code': 'A code from a slip or letter',
  'roster-email': 'Your email address is on the university’s list',
  'staff-review': 'A check by the alumni office',
  'campus-sign-on': 'You signed in with your university account',
  'knowledge-match': 'Your matric number, date of birth and names are on the university’s list',
  'peer-vouch': 'People from your class know you',
};

export function Membership({ membership }: { membership: MembershipData }) {
  const { status, confirmedAt, confirmBy, evidence } = membership;
  const [isConfirming, setIsConfirming] = useState(false);
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const { revalidate } = useRevalidator();

  async function withdraw() {
    setIsConfirming(false);
    await runWithPassword(async () => {
      await callApi('DELETE /api/membership/evidence');
      await refreshUser();
      await revalidate();
      toast('success', 'You are no longer a confirmed member');
    });
  }

  if (status !== 'confirmed') {
    const { text, linkText, linkEnd } = summarizeMembership(membership);
    return (
      <Group heading={confirmBy === null ? 'You are not a confirmed member' : 'You are not confirmed yet'}>
        <p className="max-w-[66ch]">
          {text} {confirmBy === null && 'Only you see your profile.'}
        </p>
        <ButtonLink to={paths.confirm} className="justify-self-start">
          {linkText}
          {linkEnd}
        </ButtonLink>
      </Group>
    );
  }
  return (
    <div className="grid gap-6">
      <Group
        heading="You are a confirmed member"
        hint={
          confirmedAt !== null && (
            <>
              Since <Day of={confirmedAt} />
            </>
          )
        }
      >
        <div>
          <h3 className="mb-2 font-semibold">How you confirmed that you studied here</h3>
          <ul>
            {evidence.map(({ id, kind, createdAt }) => (
              <li key={id} className="flex flex-wrap justify-between gap-x-6 border-t border-line py-3">
                {evidenceLabels[kind]}
                <span className="text-ink-soft">
                  <Day of={createdAt} />
                </span>
              </li>
            ))}
          </ul>
        </div>
      </Group>
      <Group
        heading="Withdraw your membership"
        hint="You can stop being a member without deleting your account. Your profile is then hidden, and you see what guests see. Nothing is deleted, and you can confirm again."
      >
        <Button variant="quiet" className="justify-self-start" onClick={() => setIsConfirming(true)}>
          Withdraw my membership
        </Button>
      </Group>
      {isConfirming && (
        <Dialog onClose={() => setIsConfirming(false)} title="Withdraw your membership?">
          <p>
            Your profile is hidden at once. To be a member again, you must confirm again: with a new code, a check by
            the alumni office, or new answers from your class.
          </p>
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="quiet" onClick={() => setIsConfirming(false)}>
              Keep it
            </Button>
            <Button variant="danger" onClick={() => void withdraw()}>
              Withdraw
            </Button>
          </div>
        </Dialog>
      )}
      {dialog}
    </div>
  );
}

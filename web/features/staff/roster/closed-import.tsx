import { useState } from 'react';
import type { RosterImport } from '#contract/roster.ts';
import { soleOwnerHours } from '#contract/staff/values.ts';
import { Button } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/day.tsx';
import { ConfirmDialog } from '../ui/confirm-dialog.tsx';
import { Section } from '../ui/section.tsx';
import { useApprover } from '../use-rights.ts';
import { SkippedRows, toNumbers } from './check-result.tsx';
import { Numbers } from './numbers.tsx';

export function ClosedImport({ one, onUndo }: { one: RosterImport; onUndo: () => Promise<void> }) {
  const [isAsking, setIsAsking] = useState(false);
  const approver = useApprover();
  const { state, counts, undoCounts, appliedAt, undoRefusal, approval, step } = one;
  if (state === 'cancelled') return <p className="max-w-[66ch]">This import was discarded. It changed nothing.</p>;
  return (
    <>
      {undoCounts && (
        <Section
          heading="What the undo did"
          hint="Entries that a person has claimed, or staff have corrected, since the import were kept. Entries of people who have objected stay empty."
        >
          <Numbers
            of={[
              { label: 'Reverted', count: undoCounts.takenBack },
              { label: 'Kept', count: undoCounts.kept },
              { label: 'Not restored', count: undoCounts.failed },
            ]}
          />
        </Section>
      )}
      {counts && (
        <Section
          heading="What the import did"
          hint={appliedAt !== null ? `Applied on ${formatDate(appliedAt)}.` : undefined}
        >
          <Numbers of={toNumbers(counts)} />
          <SkippedRows one={one} counts={counts} />
        </Section>
      )}
      {state === 'applied' && undoRefusal !== null && (
        <Section heading="Undo">
          <p className="max-w-[66ch]">{undoRefusal}</p>
        </Section>
      )}
      {state === 'applied' && undoRefusal === null && !approval && step === null && (
        <Section
          heading="Undo"
          hint={`Deletes the new entries, restores the changed ones and unmarks the missing ones. Entries that a person has claimed, or staff have corrected, since the import are kept. The undo needs the approval of ${approver}.`}
        >
          <div>
            <Button variant="quiet" onClick={() => setIsAsking(true)}>
              Undo this import
            </Button>
          </div>
        </Section>
      )}
      {isAsking && (
        <ConfirmDialog
          title="Request approval to undo this import?"
          action="Request approval"
          busy="Please wait..."
          onClose={() => setIsAsking(false)}
          onConfirm={async () => {
            setIsAsking(false);
            await onUndo();
          }}
        >
          <p>
            Nothing changes until {approver} approves it. If no one else can approve it, the undo runs after{' '}
            {soleOwnerHours} hours unless a member of staff cancels it. Entries that a person has claimed, or staff have
            corrected, since the import are kept.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

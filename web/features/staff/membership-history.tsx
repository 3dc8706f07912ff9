import { useEffect, useState } from 'react';
import type { MembershipEvent } from '#contract/staff-history.ts';
import { messageOf } from '../../domain/messages.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { Day } from '../../ui/day.tsx';
import { TextArea } from '../../ui/field.tsx';
import { evidenceNames } from './staff-words.ts';
import { ConfirmDialog } from './ui/confirm-dialog.tsx';
import { Section } from './ui/section.tsx';

interface Props {
  accountId: string;
  /** Whether the user may return closed claims to the queue. */
  canReopen?: boolean;
}

/** Shows everything that happened to the membership of a person, the latest first. */
export function MembershipHistory({ accountId, canReopen = false }: Props) {
  const [events, setEvents] = useState<readonly MembershipEvent[] | null>(null);
  const [failure, setFailure] = useState('');
  const [reopened, setReopened] = useState<string | null>(null);
  const [loads, setLoads] = useState(0);
  useEffect(() => {
    let isCurrent = true;
    callApi('GET /api/staff/people/{id}/membership-history', { params: { id: accountId } }).then(
      // The server sends the properties of the kind.
      (answer) => isCurrent && setEvents(answer.events as MembershipEvent[]),
      (error: unknown) => isCurrent && setFailure(messageOf(problemOf(error))),
    );
    return () => {
      isCurrent = false;
    };
  }, [accountId, loads]);
  return (
    <Section heading="Membership history">
      {failure !== '' && <p role="alert">{failure}</p>}
      {events?.length === 0 && <p>Nothing yet.</p>}
      {events && events.length > 0 && (
        <ul className="grid gap-2">
          {events.map((event) => (
            <li key={`${event.at} ${describe(event)}`} className="wrap-anywhere">
              <span className="block text-sm text-ink-soft">
                <Day of={event.at} />
              </span>
              {describe(event)}
              {canReopen && event.kind === 'decision' && event.state !== 'confirmed' && (
                <>
                  <Button look="quiet" className="mt-1 flex" onClick={() => setReopened(event.claimId)}>
                    Reopen
                  </Button>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {reopened !== null && (
        <ReopenDialog
          claimId={reopened}
          onClose={() => setReopened(null)}
          onDone={() => {
            setReopened(null);
            setLoads(loads + 1);
          }}
        />
      )}
    </Section>
  );
}

const birthDates = {
  first: '',
  same: ', same birth date as before',
  changed: ', birth date changed since the attempt before',
};
const states = { confirmed: 'confirmed', rejected: 'rejected', withdrawn: 'withdrawn', expired: 'expired' };
const answers = { yes: 'is sure', unsure: 'is not sure', no: 'says that it is someone else' };

function describe(event: MembershipEvent): string {
  switch (event.kind) {
    case 'attempt': {
      const { matricNumber, firstName, lastName, department, yearGraduated } = event.typed;
      const what = event.way === 'claim' ? 'Sent a claim' : 'Requested a code by email';
      return `${what} with the number “${matricNumber}”, as ${firstName} ${lastName}, ${department} ${yearGraduated}${birthDates[event.birthDate]}`;
    }
    case 'decision': {
      const by =
        event.by ??
        { automatic: 'the system', operator: 'the operator', staff: 'a deleted account' }[
          event.decidedBy ?? 'automatic'
        ];
      const reason = event.reason === '' ? '' : ` (${event.reason})`;
      return event.decidedBy === null
        ? `Claim ${states[event.state]}`
        : `Claim ${states[event.state]} by ${by}${reason}`;
    }
    case 'evidence': {
      const entry = event.entry ? `, entry ${event.entry.matricNumber}, ${event.entry.name}` : '';
      const detail = event.detail === '' ? '' : `, seen: ${event.detail}`;
      return `${evidenceNames[event.evidence]}${entry}${detail}${event.withdrawnAt === null ? '' : ', withdrawn later'}`;
    }
    case 'vouch': {
      const seen = event.seen
        ? ` about ${event.seen.firstName} ${event.seen.lastName}, ${event.seen.department ?? ''} ${event.seen.yearGraduated ?? ''}`
        : '';
      return `${event.by ?? 'A member'} ${answers[event.answer]}${seen}${event.endedAt === null ? '' : ', no longer counts'}`;
    }
    case 'impostor':
      break;
  }
  return `Marked as an impostor by ${event.by ?? 'the operator or a deleted account'}`;
}

function ReopenDialog({ claimId, onClose, onDone }: { claimId: string; onClose: () => void; onDone: () => void }) {
  const [reason, setReason] = useState('');
  return (
    <ConfirmDialog
      title="Reopen this claim?"
      action="Reopen"
      busy="Reopening..."
      look="strong"
      onClose={onClose}
      onConfirm={async () => {
        await callApi('POST /api/staff/claims/{id}/reopen', { params: { id: claimId }, body: { reason } });
        onDone();
      }}
    >
      <p>The claim returns to the review queue. The earlier decision stays in the history.</p>
      <TextArea
        label="Reason, for other staff"
        rows={3}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmDialog>
  );
}

import type { MembershipEvent } from '#contract/staff/history.ts';
import type { ClearanceReason } from '#contract/staff/people-values.ts';
import { callApi } from '#web/platform/api.ts';
import { Link } from 'react-router';
import { Day, formatDate } from '#web/ui/day.tsx';
import { staffPath } from './staff-paths.ts';
import { evidenceNames } from './staff-labels.ts';
import { ListNote } from './ui/list-note.tsx';
import { Section } from './ui/section.tsx';
import { useRequest } from './ui/use-request.ts';
import { useRights } from './use-rights.ts';

interface Props {
  accountId: string;
  file?: unknown;
}

export function MembershipHistory({ accountId, file }: Props) {
  const canOpen = useRights().includes('claims');
  const [answer, failure] = useRequest(file ?? accountId, () =>
    callApi('GET /api/staff/people/{id}/membership-history', { params: { id: accountId } }),
  );
  // The server sends the properties of the kind.
  const events = answer && (answer.events as MembershipEvent[]);
  return (
    <Section heading="Membership history">
      <ListNote items={events} failure={failure} empty="Nothing yet." />
      {events && events.length > 0 && (
        <ul className="grid gap-2">
          {events.map((event) => (
            <li key={`${event.at} ${describe(event)}`} className="wrap-anywhere">
              <span className="block text-sm text-ink-soft">
                <Day of={event.at} />
              </span>
              {describe(event)}
              {canOpen && event.kind === 'decision' && (
                <Link to={staffPath('review', `claim-${event.claimId}`)} className="link block w-fit text-sm">
                  Open the claim
                </Link>
              )}
            </li>
          ))}
        </ul>
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
const clearances: Record<ClearanceReason, string> = {
  'saw-person': 'saw the person',
  'saw-document': 'saw a document',
  'recorded-by-mistake': 'recorded by mistake',
};
const answers = { yes: 'is sure', unsure: 'is not sure', no: 'says that it is someone else' };

function describe(event: MembershipEvent): string {
  switch (event.kind) {
    case 'attempt': {
      const { matricNumber, firstName, lastName, department, yearGraduated } = event.typed;
      const what = event.way === 'claim' ? 'Sent a claim' : 'Requested a code by email';
      return `${what} with the number “${matricNumber}”, as ${lastName} ${firstName}, ${department} ${yearGraduated}${birthDates[event.birthDate]}`;
    }
    case 'decision': {
      const by =
        event.by ??
        { automatic: 'the system', operator: 'the operator', staff: 'staff' }[event.decidedBy ?? 'automatic'];
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
        ? ` about ${event.seen.lastName} ${event.seen.firstName}, ${event.seen.department ?? ''} ${event.seen.yearGraduated ?? ''}`
        : '';
      return `${event.by ?? 'A member'} ${answers[event.answer]}${seen}${event.endedAt === null ? '' : ', no longer counts'}`;
    }
    case 'reopened':
      return `Claim reopened by ${event.by ?? 'a deleted account'}${event.reason === '' ? '' : ` (${event.reason})`}`;
    case 'impostor':
      break;
  }
  const { by, cleared } = event;
  const end = cleared
    ? `. Cleared on ${formatDate(cleared.at)} by ${cleared.by ?? 'a deleted account'}: ${clearances[cleared.reason]}`
    : '';
  return `Marked as an impostor by ${by ?? 'the operator or a deleted account'}${end}`;
}

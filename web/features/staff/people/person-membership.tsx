import { Link } from 'react-router';
import type { PersonFile } from '#contract/staff-people.ts';
import { Day } from '../../../ui/day.tsx';
import { staffPath } from '../staff-paths.ts';
import { evidenceNames } from '../staff-words.ts';
import { Definition, Definitions } from '../ui/definitions.tsx';
import { Section } from '../ui/section.tsx';
import { useRights } from './use-rights.ts';

const claimWords = {
  waiting: 'waiting for a decision',
  confirmed: 'confirmed',
  rejected: 'rejected',
  withdrawn: 'withdrawn',
  expired: 'expired',
};
const statusWords = {
  unconfirmed: 'Not confirmed',
  confirmed: 'Confirmed',
  disputed: 'Disputed',
  rejected: 'Rejected',
};

const QueueLink = ({ item }: { item: string }) => (
  <Link to={staffPath('review', item)} className="link whitespace-nowrap">
    Open in the queue
  </Link>
);

/** Shows the evidence, claims and disputes of a person, without what was typed: that is in the review queue. */
export function PersonMembership({
  membership: { status, confirmedAt, impostor, evidence, claims, disputes },
}: {
  membership: NonNullable<PersonFile['membership']>;
}) {
  const canDecide = useRights().includes('claims');
  return (
    <Section heading="Membership">
      <Definitions>
        <Definition term="Status">
          {statusWords[status]}
          {confirmedAt !== null && (
            <>
              {' '}
              since <Day of={confirmedAt} />
            </>
          )}
        </Definition>
        {impostor && (
          <Definition term="Impostor">
            Since <Day of={impostor.since} />, decided by {impostor.decidedBy ?? 'the operator or a deleted account'}
          </Definition>
        )}
        <Definition term="Evidence">
          {evidence.length > 0 && (
            <ul>
              {evidence.map(({ kind, createdAt, isWithdrawn }) => (
                <li key={`${kind} ${createdAt}`}>
                  {evidenceNames[kind]}, <Day of={createdAt} />
                  {isWithdrawn && ' (withdrawn)'}
                </li>
              ))}
            </ul>
          )}
          {evidence.length === 0 && 'None'}
        </Definition>
        {claims.length > 0 && (
          <Definition term="Claims">
            <ul>
              {claims.map(({ id, state, createdAt }) => (
                <li key={id}>
                  <Day of={createdAt} />, {claimWords[state]}{' '}
                  {state === 'waiting' && canDecide && <QueueLink item={`claim-${id}`} />}
                </li>
              ))}
            </ul>
          </Definition>
        )}
        {disputes.length > 0 && (
          <Definition term="Disputes">
            <ul>
              {disputes.map(({ id, side, isOpen, createdAt }) => (
                <li key={id}>
                  <Day of={createdAt} />, {side === 'holder' ? 'has the entry' : 'claims the entry'},{' '}
                  {isOpen ? 'open' : 'closed'} {isOpen && canDecide && <QueueLink item={`dispute-${id}`} />}
                </li>
              ))}
            </ul>
          </Definition>
        )}
      </Definitions>
    </Section>
  );
}

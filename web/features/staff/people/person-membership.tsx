import type { PersonFile } from '#contract/staff/people.ts';
import { Day } from '#web/ui/day.tsx';
import { evidenceNames } from '../staff-labels.ts';
import { Definition, Definitions } from '../ui/definitions.tsx';
import { Section } from '../ui/section.tsx';

const statusWords = {
  unconfirmed: 'Not confirmed',
  confirmed: 'Confirmed',
  disputed: 'Disputed',
  rejected: 'Rejected',
};

export function PersonMembership({
  membership: { status, confirmedAt, impostor, entry, evidence },
}: {
  membership: NonNullable<PersonFile['membership']>;
}) {
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
        <Definition term="Roster entry">{entry ? `${entry.matricNumber}, ${entry.name}` : 'None linked'}</Definition>
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
      </Definitions>
    </Section>
  );
}

import type { PersonFile } from '#contract/staff/people.ts';
import { Day } from '#web/ui/day.tsx';
import { Link } from 'react-router';
import { evidenceNames } from '../staff-labels.ts';
import { Definition, Definitions } from '../ui/definitions.tsx';
import { Section } from '../ui/section.tsx';
import { entryPath, stateLabels } from './people-labels.ts';

export function PersonMembership({
  membership: { status, confirmedAt, impostor, entries, evidence },
}: {
  membership: NonNullable<PersonFile['membership']>;
}) {
  return (
    <Section heading="Membership">
      <Definitions>
        <Definition term="Status">
          {stateLabels[status].label}
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
        <Definition term="Roster entry">
          {entries.length === 0 && 'None linked'}
          {entries.map(({ id, matricNumber, name }) => (
            <Link key={id} to={entryPath(id)} className="link block">
              {matricNumber}, {name}
            </Link>
          ))}
        </Definition>
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

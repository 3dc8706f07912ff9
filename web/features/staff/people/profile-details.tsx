import type { ReactNode } from 'react';
import { extraFields, readExtra, shortLabelOf } from '#contract/profile-fields.ts';
import type { Profile } from '#contract/profile.ts';
import { reword } from '#web/platform/words.ts';
import { formatDate } from '#web/ui/day.tsx';
import { Definition, Definitions } from '../ui/definitions.tsx';

const birthday = (dob: string): string =>
  dob.length > 'MM-DD'.length ? formatDate(dob) : formatDate(`2000-${dob}`).replace(' 2000', '');

export function ProfileDetails({ profile }: { profile: Profile }) {
  const { academic, social } = profile;
  const { first, middle, last } = profile.name;
  const name = [last, first, middle].filter(Boolean).join(' ');
  const rows: [term: string, value: ReactNode, className?: string][] = [
    ['Name', name],
    ...extraFields.map((field): [string, ReactNode] => [shortLabelOf(field), readExtra(profile, field)]),
    ['Title', profile.title, 'inline-block first-letter:uppercase'],
    ['Birthday', profile.dob && birthday(profile.dob)],
    ['Gender', profile.gender, 'inline-block first-letter:uppercase'],
    ['Email', profile.email],
    ['Contact number', profile.contactNumber],
    ['Home address', profile.homeAddress, 'whitespace-pre-line'],
    ['Matric number', academic.matricNumber, 'nums'],
    [reword('College'), academic.college],
    [reword('Department'), academic.department],
    ['Program', academic.program],
    ['Years', [academic.year.admitted, academic.year.graduated].filter(Boolean).join(' to ')],
    ['Interest', profile.interest],
    ['Short bio', profile.bio],
    ['Full bio', profile.fullBio, 'whitespace-pre-line'],
    ['X', social.x],
    ['Facebook', social.facebook],
    ['LinkedIn', social.linkedin],
  ];
  return (
    <div className="flex flex-col-reverse gap-6 sm:flex-row">
      <div className="min-w-0 grow">
        <Definitions>
          {rows
            .filter(([, value]) => value !== undefined && value !== '')
            .map(([term, value, className]) => (
              <Definition key={term} term={term}>
                {className === undefined ? value : <span className={className}>{value}</span>}
              </Definition>
            ))}
        </Definitions>
      </div>
      {profile.imgURL !== null && (
        <img
          src={profile.imgURL}
          alt={name}
          className="aspect-[4/5] w-28 shrink-0 self-start object-cover print-shape"
          decoding="async"
        />
      )}
    </div>
  );
}

import type { ReactNode } from 'react';
import type { Profile } from '#contract/profile.ts';
import { fullName } from '../../../domain/people.ts';
import { dayInWords } from '../../../ui/day.tsx';
import { Definition, Definitions } from '../ui/definitions.tsx';

/** Returns a full date of birth in words, and a birthday without a year as day and month. */
const birthday = (dob: string): string =>
  dob.length > 'MM-DD'.length ? dayInWords(dob) : dayInWords(`2000-${dob}`).replace(' 2000', '');

/** Shows the fields of a profile that have a value. */
export function ProfileDetails({ profile }: { profile: Profile }) {
  const { academic, social } = profile;
  const rows: [string, ReactNode][] = [
    ['Name', fullName(profile.name)],
    ['Other names', profile.name.other],
    ['Title', profile.title && <span className="inline-block first-letter:uppercase">{profile.title}</span>],
    ['Birthday', profile.dob && birthday(profile.dob)],
    ['Gender', profile.gender && <span className="inline-block first-letter:uppercase">{profile.gender}</span>],
    ['Email', profile.email],
    ['Contact number', profile.contactNumber],
    ['Home address', profile.homeAddress && <span className="whitespace-pre-line">{profile.homeAddress}</span>],
    ['Matric number', academic.matricNumber && <span className="nums">{academic.matricNumber}</span>],
    ['College', academic.college],
    ['Department', academic.department],
    ['Program', academic.program],
    ['Years', [academic.year.admitted, academic.year.graduated].filter(Boolean).join(' to ')],
    ['Interest', profile.interest],
    ['Short bio', profile.bio],
    ['Full bio', profile.fullBio && <span className="whitespace-pre-line">{profile.fullBio}</span>],
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
            .map(([term, value]) => (
              <Definition key={term} term={term}>
                {value}
              </Definition>
            ))}
        </Definitions>
      </div>
      {profile.imgURL !== null && (
        <img
          src={profile.imgURL}
          alt={fullName(profile.name)}
          className="aspect-[4/5] w-28 shrink-0 self-start rounded-t-2xl object-cover"
          decoding="async"
        />
      )}
    </div>
  );
}

import type { Institution } from '#contract/institution.ts';
import { earliestYear } from '#contract/filter-limits.ts';
import type { ProfileForm } from '#contract/profile.ts';
import type { VisibilityChoices } from '#contract/visibility.ts';
import { fold } from '#server/domain/search/folding.ts';
import type { Random } from './random.ts';
import { callings, femaleNames, interests, lastNames, maleNames, stories, streets, towns } from './words.ts';

export type InventedPerson = Omit<ProfileForm, 'imgURL'>;

export function inventPerson(
  random: Random,
  institution: Institution,
  lastYear: number,
  wanted: Partial<InventedPerson> = {},
): InventedPerson {
  const gender = wanted.gender ?? (random.chance(0.5) ? 'female' : 'male');
  const names = gender === 'female' ? femaleNames : maleNames;
  const firstName = wanted.firstName ?? random.pick(names);
  const middleName = random.pick(names.filter((name) => name !== firstName));
  const lastName = wanted.lastName ?? random.pick(lastNames);
  const college = institution.colleges.find(({ code }) => code === wanted.college) ?? random.pick(institution.colleges);
  // Later years are more likely, because classes grow.
  const span = Math.max(0, lastYear - institution.firstYear - 4);
  const yearGraduated = wanted.yearGraduated ?? lastYear - Math.floor(span * random.next() ** 1.2);
  const yearAdmitted = wanted.yearAdmitted ?? Math.max(institution.firstYear, yearGraduated - random.integer(4, 5));
  const born = Math.max(earliestYear, yearAdmitted - random.integer(17, 22));
  const [first, last] = [fold(firstName), fold(lastName)].map((name) => name.replaceAll(' ', ''));
  const serial = String(random.integer(1, 999)).padStart(3, '0');
  return {
    title: pickTitle(random, institution.titles, gender),
    firstName,
    middleName,
    lastName,
    contactNumber: `+234 80${random.integer(1, 9)} ${random.integer(100, 999)} ${random.integer(1000, 9999)}`,
    dob: `${born}-${String(random.integer(1, 12)).padStart(2, '0')}-${String(random.integer(1, 28)).padStart(2, '0')}`,
    gender,
    homeAddress: `${random.integer(1, 180)} ${random.pick(streets)}, ${random.pick(towns)}`,
    matricNumber: `${yearAdmitted}${random.integer(10, 99)}${college.code.slice(-2)}${serial}/${random.integer(1, 9)}`,
    college: college.code,
    // Colleges may have no configured departments.
    department: college.departments.length > 0 ? random.pick(college.departments) : college.name,
    program: random.pick(institution.programs),
    yearAdmitted,
    yearGraduated,
    interest: [...new Set([random.pick(interests), random.pick(interests)])].join(', '),
    bio: `${random.pick(callings)} in ${random.pick(towns)}`,
    fullBio: random.pick(stories),
    xHandle: `${first}${last}`.slice(0, 15),
    facebookName: `${first}.${last}`,
    linkedinName: `${first}-${last}`,
    ...wanted,
  };
}

function pickTitle(random: Random, titles: readonly string[], gender: string): string {
  const usualTitles = titles.filter((title) => (gender === 'female' ? ['miss', 'mrs.'] : ['mr.']).includes(title));
  const candidates = usualTitles.length > 0 ? usualTitles : titles;
  // Uses no random number for a single choice, so that the generated people stay the same.
  return candidates.length === 1 ? (candidates[0] ?? '') : random.pick(candidates);
}

export function inventChoices(random: Random): VisibilityChoices {
  return {
    ...(random.chance(0.15) && { homeAddress: 'me' }),
    ...(random.chance(0.1) && { contactNumber: 'me' }),
    ...(random.chance(0.05) && { picture: 'members' }),
    ...(random.chance(0.03) && { yearGraduated: 'members' }),
    ...(random.chance(0.02) && { name: 'members' }),
    ...(random.chance(0.1) && { college: 'everyone' }),
  };
}

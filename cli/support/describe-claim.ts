import type { TypedClaim } from '#server/db/schema.ts';
import type { RankedCandidate } from '#server/domain/roster/matching.ts';
import type { WaitingClaim } from '#server/features/membership/staff-queries.ts';
import { formatMinute } from './format-minute.ts';

/** Joins the words of a list, or says that there are none. */
export const joinOrNone = (words: readonly string[]): string => (words.length === 0 ? 'none' : words.join(', '));

const joinNames = ({ lastName, firstName, otherNames }: Pick<TypedClaim, 'lastName' | 'firstName' | 'otherNames'>) =>
  [lastName, firstName, otherNames].filter(Boolean).join(' ');

const formatYears = (admitted: number | null, graduated: number | null) => `${admitted || '?'} to ${graduated || '?'}`;

/** Returns lines with what the claimant typed. The date of birth is left out: staff compare it with a document that they see. */
export function describeClaim({
  id,
  email,
  status,
  typed,
  createdAt,
  claims,
  evidence,
  vouches,
}: WaitingClaim): string[] {
  return [
    `ID          ${id}`,
    `Account     ${email} (${status})`,
    `Sent        ${formatMinute(createdAt)}, claim ${claims} of this account`,
    `Evidence    ${joinOrNone(evidence)}`,
    `Vouches     ${vouches.yes} yes, ${vouches.unsure} unsure, ${vouches.no} no`,
    `Matric no.  ${typed.matricNumber}`,
    `Names       ${joinNames(typed)}`,
    `Class       ${typed.department}, ${formatYears(typed.yearAdmitted, typed.yearGraduated)}`,
    ...(typed.note === '' ? [] : ['Note', ...typed.note.split('\n').map((line) => `  > ${line}`)]),
  ];
}

/** How birth dates compare. The date itself is never printed, so that staff ask for a document instead of reading it out. */
const birthDateTexts: Record<RankedCandidate['levels']['birthDate'], string> = {
  same: 'same',
  'day and month swapped': 'day and month swapped',
  'year differs': 'differs',
  'same year': 'differs',
  different: 'differs',
  missing: 'not on the roster',
};

/**
 * Returns lines with a roster entry and how it differs from a claim.
 * @param heldBy the address of the account that is confirmed as this entry; null if there is none
 */
export function describeCandidate(
  { entry, levels }: RankedCandidate,
  { number, email, heldBy }: { readonly number: number; readonly email: string; readonly heldBy: string | null },
): string[] {
  const { lastName, firstName, otherNames } = levels;
  return [
    `${number}. Matric no.  ${entry.matricKey} (${levels.matricNumber})`,
    `   Names       ${joinNames(entry)} (last ${lastName}, first ${firstName}, other ${otherNames})`,
    `   Birth date  ${birthDateTexts[levels.birthDate]}`,
    `   Class       ${entry.department ?? '?'} (${levels.department}), ${formatYears(entry.yearAdmitted, entry.yearGraduated)} (${levels.year})`,
    `   Email       ${entry.email === null ? 'not on the roster' : entry.email === email ? 'same' : 'differs'}`,
    `   Held by     ${heldBy ?? 'no account'}`,
    ...(entry.needsStaff ? ['   Confidential, deceased or no longer on the roster: check twice'] : []),
  ];
}

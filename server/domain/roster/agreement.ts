import { identitiesAgree } from '../membership/identity-agreement.ts';
import type { ClaimInput, RosterEntry } from './claim-input.ts';
import { toMatricKey } from './matric-key.ts';
import { isPlaceholderDate } from './placeholder-date.ts';

/**
 * Returns whether a claim agrees completely with an entry: matric number, full birth date, names, department and year.
 * It confirms no one, because others know these values too: staff see it, and decide. A birth date on 1 January never
 * agrees. No score is involved.
 */
export const agreesCompletely = (claim: ClaimInput, entry: RosterEntry): boolean =>
  entry.matricKey !== '' &&
  toMatricKey(claim.matricNumber) === entry.matricKey &&
  claim.dob === entry.birthDate &&
  !isPlaceholderDate(claim.dob) &&
  identitiesAgree(claim, entry);

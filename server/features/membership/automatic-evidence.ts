import type { EvidenceKind } from '#contract/membership.ts';
import type { ClaimInput } from '#server/domain/roster/claim-input.ts';
import type { ClaimedEntry } from '#server/domain/roster/claimed-entries.ts';
import { identitiesAgree } from '#server/domain/membership/identity-agreement.ts';
import { isPlaceholderDate } from '#server/domain/roster/placeholder-date.ts';

interface AutomaticEvidence {
  readonly kind: 'roster-email';
  readonly entryId: number;
  /** Whether another account holds the entry by equally strong evidence. Staff then decide. */
  readonly isContested: boolean;
}

interface AutomaticClaim {
  readonly claim: ClaimInput;
  readonly email: string;
  /** Whether this is the first claim of the account. A second attempt never confirms, so that no one can guess. */
  readonly isFirst: boolean;
  readonly accepts: readonly EvidenceKind[];
}

/**
 * Returns the evidence in a claim, or null.
 *
 * Roster email: the verified address and the birth date are those of exactly one entry, and names and class agree. A
 * birth date on 1 January is no evidence. No score is involved, and no entry that needs staff is confirmed.
 */
export function findAutomaticEvidence(
  { claim, email, isFirst, accepts }: AutomaticClaim,
  entries: readonly ClaimedEntry[],
): AutomaticEvidence | null {
  if (!isFirst) return null;
  const [byEmail, ...others] = isPlaceholderDate(claim.dob)
    ? []
    : entries.filter((entry) => entry.email === email && entry.birthDate === claim.dob);
  return accepts.includes('roster-email') &&
    byEmail &&
    others.length === 0 &&
    !byEmail.needsStaff &&
    identitiesAgree(claim, byEmail)
    ? { kind: 'roster-email', entryId: byEmail.id, isContested: byEmail.heldBy === 'strong' }
    : null;
}

import type { TypedClaim } from '#server/db/schema.ts';

export type ClaimInput = Omit<TypedClaim, 'note'>;

export interface RosterEntry {
  readonly id: number;
  readonly matricKey: string;
  readonly lastName: string;
  readonly firstName: string;
  readonly otherNames: string;
  readonly gender: string | null;
  /** `YYYY-MM-DD`. */
  readonly birthDate: string | null;
  readonly department: string | null;
  readonly yearAdmitted: number | null;
  readonly yearGraduated: number | null;
  readonly email: string | null;
  readonly status: 'student' | 'graduate' | 'left';
  /** Confidential, objected, deceased or missing from the last list: never confirmed automatically. */
  readonly needsStaff: boolean;
}

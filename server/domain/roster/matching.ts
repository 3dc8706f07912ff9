import type { ClaimInput, RosterEntry } from './claim-input.ts';

/** How many entries have a value, to weigh its agreement by its rarity. */
export interface Frequencies {
  /** Number of entries on the roster. */
  readonly entries: number;
  /** Returns the number of entries with a value; at least 1. */
  countOf(kind: FrequencyKind, value: string): number;
}

export type FrequencyKind = 'word' | 'department' | 'year' | 'birth-date' | 'birth-year';

/** An entry that a claim may refer to. */
export interface RankedCandidate {
  readonly entry: RosterEntry;
  /** Log-likelihood ratio in bits. It orders candidates, and never confirms anyone. */
  readonly bits: number;
}

/** Orders entries by how well they match a claim, best first. The order helps staff, and is no evidence. */
export const rankCandidates = (
  _claim: ClaimInput,
  entries: readonly RosterEntry[],
  _frequencies: Frequencies,
): RankedCandidate[] => entries.map((entry) => ({ entry, bits: 0 }));

import type { YearRange } from '#contract/roster-values.ts';
import type { RosterSettings } from '../file/roster-file.ts';
import type { RosterField } from '../file/roster-row.ts';

export interface ImportOptions {
  readonly settings?: Partial<RosterSettings>;
  /** Fields whose blank cells erase the stored value. */
  readonly erase?: readonly RosterField[];
  /**
   * Whether the file has only some of the people, for example one year. Other entries are then not marked as missing.
   */
  readonly isPartial?: boolean;
  /** The years of graduation that the file covers. Only entries of these years can be missing. */
  readonly years?: YearRange;
}

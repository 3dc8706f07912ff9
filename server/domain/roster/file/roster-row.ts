import { type ImportField, importFields } from '#contract/roster-values.ts';

export const rosterFields = importFields;
export type RosterField = ImportField;

/** One person of a roster file, validated and normalized. Null is a blank cell or a field without a column. */
export interface RosterRow {
  /**
   * Number of the row as a spreadsheet program shows it, from 1. A CSV record with line breaks in cells counts as one.
   */
  readonly line: number;
  readonly matricNumber: string;
  readonly matricKey: string;
  /** At least one of `lastName` and `firstName` is not null. */
  readonly lastName: string | null;
  readonly firstName: string | null;
  readonly otherNames: string | null;
  readonly gender: 'male' | 'female' | null;
  readonly birthDate: string | null;
  readonly college: string | null;
  /** The name in `institution.json` if the file's spelling or its alias is known, else the name in the file. */
  readonly department: string | null;
  readonly program: string | null;
  readonly yearAdmitted: number | null;
  readonly yearGraduated: number | null;
  /** In canonical form (contract/fields.ts). */
  readonly email: string | null;
  readonly phone: string | null;
  readonly status: 'student' | 'graduate' | 'left' | null;
  readonly isConfidential: boolean | null;
  /** True also if only the date is known. */
  readonly isDeceased: boolean | null;
  /** `YYYY-MM-DD`. Can be null although `isDeceased` is true. */
  readonly diedOn: string | null;
}

export interface RowError {
  readonly line: number;
  /** Header of the column; null if the whole row is the problem. */
  readonly column: string | null;
  /** The text of the cell, at most 100 characters. */
  readonly value: string;
  readonly reason: string;
  /** Whether the row was left out. If false, only this cell was: its row follows with null in this field. */
  readonly isRowSkipped: boolean;
}

export interface RowBatch {
  readonly rows: RosterRow[];
  readonly errors: RowError[];
}

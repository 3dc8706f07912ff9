import type { Sheet } from '#contract/roster-values.ts';
import type { RosterField } from './roster-row.ts';

export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/**
 * How a file is read. JSON, so that it can be stored with the import and reused for the next file with the same
 * headers. `readRosterFile` proposes a value for each setting; staff may replace any of them. XLSX has no `encoding` and
 * no `delimiter`, other formats no `sheets`.
 */
export interface RosterSettings {
  readonly encoding: Encoding | null;
  readonly delimiter: Delimiter | null;
  /** Chosen sheets, whose rows are read one after the other. Empty until staff choose, if there are several. */
  readonly sheets: readonly string[];
  readonly headerLine: number;
  /** Field of each column, by the column's `key`. Columns with null or without an entry are not read. */
  readonly mapping: Readonly<Record<string, RosterField | null>>;
  /** Order of the words in the column `fullName`. A comma always separates the last name from the others. */
  readonly nameOrder: 'last-first' | 'first-last';
  /** Order of dates such as 3/4/1999. Null: dates that both orders can read are reported, not read. */
  readonly dateOrder: 'dmy' | 'mdy' | null;
  /** Names of departments by their folded spelling in the file (`fold` in server/domain/search/folding.ts). */
  readonly departments: Readonly<Record<string, string>>;
}

export interface RosterColumn {
  /** The header, made unique: `Name`, `Name (2)`, and `Column 3` for a blank header. */
  readonly key: string;
  /** Share of rows with a value, 0 to 1. */
  readonly fillRate: number;
  /** The first three different values. Empty for columns that are left out. */
  readonly samples: readonly string[];
  readonly guess: RosterField | null;
  /**
   * Whether the archive does not store this kind of column on purpose, such as grades and religion. It cannot be
   * mapped.
   */
  readonly isLeftOut: boolean;
}

const warningKinds = [
  'scientific-notation',
  'leading-zeros',
  'ambiguous-dates',
  'mixed-dates',
  'new-year-birthdays',
  'two-digit-years',
  'name-order',
  'cut-off',
  'not-only-students',
] as const;

export interface RosterWarning {
  readonly kind: (typeof warningKinds)[number];
  readonly count: number;
  readonly message: string;
}

export interface RosterFile {
  readonly kind: 'csv' | 'xlsx' | 'oneroster';
  readonly settings: RosterSettings;
  /** All sheets with cells. */
  readonly sheets: readonly Sheet[];
  readonly rowCount: number;
  readonly columns: readonly RosterColumn[];
  /** Up to two names with letters beyond ASCII, to check the encoding. */
  readonly nameSamples: readonly string[];
  readonly missingFields: readonly RosterField[];
  /**
   * Department names of the file that neither the institution nor `settings.departments` knows, most frequent first.
   */
  readonly unknownDepartments: readonly {
    readonly name: string;
    readonly rows: number;
    readonly suggestion?: string | undefined;
  }[];
  readonly warnings: readonly RosterWarning[];
}

/** The error for a file that cannot be read. The message tells staff what is wrong and what to do. */
export class RosterFileError extends Error {
  override readonly name = 'RosterFileError';
}

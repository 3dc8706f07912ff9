import type { RosterImport } from '#contract/roster.ts';
import type { ImportField } from '#contract/roster-values.ts';

/** What the file of an import contains. */
export type ImportFile = NonNullable<RosterImport['file']>;

/** The field of each column, by the column’s key. Null: not imported. */
export type Mapping = Readonly<Record<string, ImportField | null>>;

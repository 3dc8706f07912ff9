import type { RosterImport } from '#contract/roster.ts';
import type { ImportField } from '#contract/roster-values.ts';

export type ImportFile = NonNullable<RosterImport['file']>;

/** By the key of the column. Null: not imported. */
export type Mapping = Readonly<Record<string, ImportField | null>>;

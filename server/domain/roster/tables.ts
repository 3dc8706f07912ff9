import type { ColumnType, Generated, Kysely } from 'kysely';
import type { ImportCounts, ImportWarning, UndoCounts } from '#contract/roster.ts';
import type { ImportState, ImportStep } from '#contract/roster-values.ts';
import type { Db } from '#server/db/client.ts';
import type { Tables } from '#server/db/schema.ts';
import type { ImportOptions } from './import/import-options.ts';
import type { RosterFile } from './file/roster-file.ts';

/**
 * The tables of the roster. They are not part of `Tables`, so that only this folder can query them: no list, search,
 * count or page may join them, and no value of an entry may reach anyone but staff and the person linked to it.
 */
export interface RosterTables {
  roster_entries: {
    id: Generated<number>;
    matric_key: string;
    matric_number: string;
    last_name: string;
    first_name: string;
    other_names: Generated<string>;
    gender: string | null;
    birth_date: string | null;
    college: string | null;
    department: string | null;
    program: string | null;
    year_admitted: number | null;
    year_graduated: number | null;
    email: string | null;
    phone: string | null;
    status: Generated<'student' | 'graduate' | 'left'>;
    is_confidential: Generated<boolean>;
    is_deceased: Generated<boolean>;
    died_on: string | null;
    words: string[];
    first_import: number;
    last_import: number;
    gone_since: number | null;
    member_left_at: Date | null;
    contested_at: Date | null;
    suppressed_at: Date | null;
  };
  roster_frequencies: { kind: string; value: string; entries: number };
  roster_links: { entry_id: number; account_id: string; linked_at: Generated<Date>; is_further: Generated<boolean> };
  roster_imports: {
    id: Generated<number>;
    file_name: string;
    file_digest: Buffer;
    state: Generated<ImportState>;
    options: ColumnType<ImportOptions, string | undefined, string>;
    detected: ColumnType<RosterFile | null, string | null | undefined, string | null>;
    counts: ColumnType<ImportCounts | null, string | null | undefined, string | null>;
    undo_counts: ColumnType<UndoCounts | null, string | null | undefined, string | null>;
    warnings: ColumnType<readonly ImportWarning[], string | undefined, string>;
    step: ImportStep | null;
    progress: Generated<number>;
    failure: Generated<string>;
    account_id: string | null;
    created_at: Generated<Date>;
    checked_at: Date | null;
    applied_at: Date | null;
    undone_at: Date | null;
    depends_on: Generated<number[]>;
    can_undo: Generated<boolean>;
  };
  roster_row_errors: {
    import_id: number;
    line: number;
    column_name: string | null;
    value: string;
    reason: string;
    is_row_skipped: boolean;
  };
  roster_aliases: { alias: string; department: string };
  roster_mappings: {
    headers_digest: Buffer;
    options: ColumnType<ImportOptions, string, string>;
    used_at: Generated<Date>;
  };
  roster_counts: { department: string; year_graduated: number; entries: number; claimed: number };
}

export const withRoster = (db: Db): Kysely<Tables & RosterTables> => db as unknown as Kysely<Tables & RosterTables>;

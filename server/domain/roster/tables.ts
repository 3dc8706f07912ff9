import type { Generated, Kysely } from 'kysely';
import type { Db } from '../../db/client.ts';
import type { Tables } from '../../db/schema.ts';

/**
 * The tables of the roster. They are not part of `Tables`, so that only this folder can query them: no list, search, count or page may join
 * them, and no value of an entry may reach anyone but staff and the person linked to it.
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
    /** `YYYY-MM-DD`. */
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
    digest: Buffer;
    words: string[];
    first_import: number;
    last_import: number;
    gone_since: number | null;
    member_left_at: Date | null;
    suppressed_at: Date | null;
  };
  roster_links: { entry_id: number; account_id: string; linked_at: Generated<Date> };
}

/** The database with the tables of the roster. */
export const withRoster = (db: Db): Kysely<Tables & RosterTables> => db as unknown as Kysely<Tables & RosterTables>;

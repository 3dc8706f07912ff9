import type { OpenArchive } from '#server/startup/open-archive.ts';
import type { Config } from '#server/platform/config/config.ts';

/** The result of a check: fine, worth a look, or affecting users. */
export type Level = 'ok' | 'warn' | 'FAIL';

/** What a check found, in one sentence that says what to do about a problem. */
export interface Finding {
  readonly level: Level;
  readonly says: string;
}

export interface Check {
  /** Subject in a word or two, e.g. `database`. */
  readonly about: string;
  /** Skips the check while the database does not answer, or while its tables are not those of this version. */
  readonly needs?: 'database' | 'tables';
  /** @throws Error reported as FAIL with its message */
  run(subject: Subject): Promise<Finding | readonly Finding[]>;
}

/** What the checks look at. */
export interface Subject {
  readonly config: Config;
  /** Null while the database does not answer. */
  readonly archive: OpenArchive | null;
  /** Migrations that are not applied yet, and applied migrations of a newer version. */
  readonly migrations: { readonly missing: readonly string[]; readonly foreign: readonly string[] };
}

export const ok = (says: string): Finding => ({ level: 'ok', says });
export const warn = (says: string): Finding => ({ level: 'warn', says });
export const fail = (says: string): Finding => ({ level: 'FAIL', says });

/** Returns the archive of a check that needs the database. */
export function archiveOf({ archive }: Subject): OpenArchive {
  if (!archive) throw new Error('The database does not answer.');
  return archive;
}

/** Runs a query and returns its rows. */
export async function ask<Row extends object>(
  subject: Subject,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await archiveOf(subject).pool.query<Row>(text, [...values]);
  return rows;
}

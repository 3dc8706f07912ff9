import type { Config } from '#server/platform/config.ts';
import type { OpenArchive } from '#server/open-archive.ts';

/** How something is: as it should be, worth a look, or in the way of the product. */
export type Level = 'ok' | 'warn' | 'FAIL';

/** What a check has found, in one sentence that says what to do where something is wrong. */
export interface Finding {
  readonly level: Level;
  readonly says: string;
}

/** One thing that is looked at. */
export interface Check {
  /** In a word or two, e.g. `database`. */
  readonly about: string;
  /** Only when it is asked for: it takes long, or asks other machines. */
  readonly only?: 'thorough' | 'online';
  /** Cannot be looked at while the database does not answer, or while its tables are not those of this version. */
  readonly needs?: 'database' | 'tables';
  /** @throws Error what it says is found as FAIL */
  run(subject: Subject): Promise<Finding | readonly Finding[]>;
}

/** What is looked at. */
export interface Subject {
  readonly config: Config;
  /** Null while the database does not answer; checks that need it are not run then. */
  readonly archive: OpenArchive | null;
  /** Why it does not, in a sentence; null when it does. */
  readonly databaseFault: string | null;
  /** What the tables are not brought up to yet, and what a newer version has brought them to. */
  readonly migrations: { readonly missing: readonly string[]; readonly foreign: readonly string[] };
  readonly isThorough: boolean;
}

export const ok = (says: string): Finding => ({ level: 'ok', says });
export const warn = (says: string): Finding => ({ level: 'warn', says });
export const fail = (says: string): Finding => ({ level: 'FAIL', says });

/** The archive of a check that needs the database. */
export function archiveOf({ archive }: Subject): OpenArchive {
  if (!archive) throw new Error('The database does not answer.');
  return archive;
}

/** The rows of a question to the database. */
export async function ask<Row extends object>(
  subject: Subject,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await archiveOf(subject).pool.query<Row>(text, [...values]);
  return rows;
}

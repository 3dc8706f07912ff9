import type { OpenArchive } from '#server/startup/open-archive.ts';
import type { Config } from '#server/platform/config/config.ts';

/** Result of a check: no problem, needs attention, or affects users. */
export type Level = 'OK' | 'WARN' | 'FAIL';

export interface Finding {
  readonly level: Level;
  readonly message: string;
}

export interface Check {
  readonly name: string;
  /** Requirement of the check. It is skipped if the database does not answer, or lacks migrations of this version. */
  readonly needs?: 'database' | 'tables';
  /** Runs the check. @throws Error, which is reported as FAIL with its message */
  run(subject: Subject): Promise<Finding | readonly Finding[]>;
}

export interface Subject {
  readonly config: Config;
  /** Null if the database does not answer. */
  readonly archive: OpenArchive | null;
  /** Migrations that are not applied yet, and why this version cannot use the tables, or null. */
  readonly migrations: { readonly missing: readonly string[]; readonly problem: string | null };
}

export const ok = (message: string): Finding => ({ level: 'OK', message });
export const warn = (message: string): Finding => ({ level: 'WARN', message });
export const fail = (message: string): Finding => ({ level: 'FAIL', message });

export function requireArchive({ archive }: Subject): OpenArchive {
  if (!archive) throw new Error('The database does not answer.');
  return archive;
}

export async function queryRows<Row extends object>(
  subject: Subject,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await requireArchive(subject).pool.query<Row>(text, [...values]);
  return rows;
}

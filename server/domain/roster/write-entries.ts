import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { RosterRow } from './file/roster-row.ts';
import { toMatricKey } from './matric-key.ts';
import { toEntryWords } from './name-words.ts';
import { withRoster } from './tables.ts';

export type EntryValues = Omit<RosterRow, 'line' | 'matricKey' | 'isDeceased'>;

const entriesPerStatement = 5_000;

const columns = `matric_key text, matric_number text, last_name text, first_name text, other_names text, gender text, birth_date date,
  college text, department text, program text, year_admitted smallint, year_graduated smallint, email text, phone text, status text,
  is_confidential boolean, died_on date, words text[]`;
const columnNames = columns.replaceAll(/ (?:text\[\]|text|date|smallint|boolean)(?=,|$)/gu, '');

/**
 * Inserts new entries, for demo data, benchmarks and tests. An import uses its own statements, which also compare and
 * record changes.
 * @throws Error if a matric number is on the roster already
 */
export async function writeEntries(db: Db, entries: readonly EntryValues[]): Promise<void> {
  for (let from = 0; from < entries.length; from += entriesPerStatement) {
    const records = entries.slice(from, from + entriesPerStatement).map(toRecord);
    await sql`
      insert into roster_entries (${sql.raw(columnNames)}, first_import, last_import)
      select ${sql.raw(columnNames)}, 0, 0
      from json_to_recordset(${JSON.stringify(records)}::json) as record (${sql.raw(columns)})`.execute(db);
  }
}

export async function findEntryIds(db: Db, matricNumbers: readonly string[]): Promise<Map<string, number>> {
  const rows = await withRoster(db)
    .selectFrom('roster_entries')
    .select(['matric_key', 'id'])
    .where('matric_key', '=', sql<string>`any(${matricNumbers.map(toMatricKey)}::text[])`)
    .execute();
  return new Map(rows.map(({ matric_key, id }) => [matric_key, id]));
}

export async function linkEntries(
  db: Db,
  links: readonly { readonly accountId: string; readonly entryId: number }[],
): Promise<void> {
  await sql`
    insert into roster_links (entry_id, account_id)
    select * from unnest(${links.map(({ entryId }) => entryId)}::bigint[], ${links.map(({ accountId }) => accountId)}::uuid[])`.execute(
    db,
  );
}

function toRecord(entry: EntryValues) {
  const names = {
    lastName: entry.lastName ?? '',
    firstName: entry.firstName ?? '',
    otherNames: entry.otherNames ?? '',
  };
  return {
    matric_key: toMatricKey(entry.matricNumber),
    matric_number: entry.matricNumber,
    last_name: names.lastName,
    first_name: names.firstName,
    other_names: names.otherNames,
    gender: entry.gender,
    birth_date: entry.birthDate,
    college: entry.college,
    department: entry.department,
    program: entry.program,
    year_admitted: entry.yearAdmitted,
    year_graduated: entry.yearGraduated,
    email: entry.email,
    phone: entry.phone,
    status: entry.status ?? 'graduate',
    is_confidential: entry.isConfidential ?? false,
    died_on: entry.diedOn,
    words: toEntryWords(names),
  };
}

import { sql } from 'kysely';
import * as z from 'zod/mini';
import { type Db, inTransaction } from '#server/db/client.ts';
import { defineJob, wholeArchiveTimeoutSeconds } from '#server/platform/jobs/define-job.ts';
import { toPhoneticKey } from '../search/spelling.ts';
import type { ClaimInput } from './claim-input.ts';
import { allNameWords } from './name-words.ts';

export interface Frequencies {
  /** Number of entries; at least 1,000, so that a small roster does not make every agreement weak. */
  readonly entries: number;
  readonly shareOf: (kind: FrequencyKind, value: string) => number;
}

/** `word` also contains the sounds of the words (`toEntryWords`). `year` is the year of graduation. */
type FrequencyKind = 'word' | 'department' | 'year' | 'birth-date' | 'birth-year';

const minEntries = 1_000;

/** Creates frequencies from counts. @param counts by `kind value`; values without a count occur once */
export function createFrequencies(total: number, counts: ReadonlyMap<string, number>): Frequencies {
  const entries = Math.max(total, minEntries);
  return { entries, shareOf: (kind, value) => Math.min((counts.get(`${kind} ${value}`) ?? 1) / entries, 1) };
}

export async function readFrequencies(db: Db, claim: ClaimInput): Promise<Frequencies> {
  const words = allNameWords(claim);
  const wanted: (readonly [kind: string, value: string])[] = [
    ['total', ''],
    ['department', claim.department],
    ['year', String(claim.yearGraduated || claim.yearAdmitted)],
    ['birth-date', claim.dob],
    ['birth-year', claim.dob.slice(0, 4)],
    ...[...new Set([...words, ...words.map(toPhoneticKey)])].map((word) => ['word', word] as const),
  ];
  const { rows } = await sql<{ kind: string; value: string; entries: number }>`
    select kind, value, entries from roster_frequencies
    where (kind, value) in (
      select * from unnest(${wanted.map(([kind]) => kind)}::text[], ${wanted.map(([, value]) => value)}::text[])
    )`.execute(db);
  const counts = new Map(rows.map(({ kind, value, entries }) => [`${kind} ${value}`, entries]));
  return createFrequencies(counts.get('total ') ?? 0, counts);
}

export const countFrequenciesJob = defineJob('roster:count-frequencies', z.unknown(), {
  timeoutSeconds: wholeArchiveTimeoutSeconds,
});

/**
 * Counts the values of all entries. Values that occur once are not stored. Writes only what has changed. Takes about
 * ten seconds for 500,000 entries, in one statement.
 */
export const countFrequencies = (db: Db): Promise<void> =>
  inTransaction(db, async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    await sql`
      with counted (kind, value, entries) as materialized (
        select 'total', '', count(*)::integer from roster_entries where suppressed_at is null
        union all
        select 'word', word, count(*) from roster_entries cross join unnest(words) as word
        where suppressed_at is null group by word having count(*) > 1
        union all
        select 'department', department, count(*) from roster_entries
        where suppressed_at is null and department is not null group by department
        union all
        select 'year', year_graduated::text, count(*) from roster_entries
        where suppressed_at is null and year_graduated is not null group by year_graduated
        union all
        select 'birth-date', birth_date::text, count(*) from roster_entries
        where suppressed_at is null and birth_date is not null group by birth_date having count(*) > 1
        union all
        select 'birth-year', extract(year from birth_date)::integer::text, count(*) from roster_entries
        where suppressed_at is null and birth_date is not null group by 2
      ), gone as (
        delete from roster_frequencies as known
        where not exists (select from counted where counted.kind = known.kind and counted.value = known.value)
      )
      insert into roster_frequencies as known (kind, value, entries)
      select kind, value, entries from counted
      on conflict (kind, value) do update set entries = excluded.entries
      where known.entries <> excluded.entries`.execute(tx);
  });

import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Employer, Position } from '#contract/careers.ts';
import { type Db, inTransaction } from '#server/db/client.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { afterPrefix } from '../search/folding.ts';
import { toWordQuery } from '../search/word-query.ts';
import { refused } from '../staff/refused.ts';
import { proposeMerges, toEmployerKey } from './employer-key.ts';

/** Returns the employer with a key, or the one that staff merged it into, if a member shows it. */
export async function findEmployer(db: Db, key: string): Promise<Employer | null> {
  const { rows } = await sql<Employer>`
    select key, name, people from employers
    where key = coalesce((select same_as from employer_merges where key = ${key}), ${key})`.execute(db);
  return rows[0] ?? null;
}

/** Returns the employers that match the words of a text, or whose key begins with the text. */
export async function suggestEmployers(db: Db, text: string, limit: number): Promise<Employer[]> {
  const key = toEmployerKey(text);
  if (key === '') return [];
  // Without the CTE, the planner can read all employers, the largest first, until enough match.
  const { rows } = await sql<Employer>`
    with found as materialized (
      select key, name, people from employers
      where words @@ ${toWordQuery(text)}::tsquery or (key >= ${key} and key < ${key + afterPrefix})
    )
    select key, name, people from found order by people desc, key limit ${sql.lit(limit)}`.execute(db);
  return rows;
}

const comparedEmployers = 2_000;

/** Stands for an employer in the audit log, which contains no text that a person typed. */
export const toEmployerDigest = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32);

/** Returns pairs of large employers that are probably the same, and that staff have neither merged nor separated. */
export async function findProposals(db: Db): Promise<{ one: Employer; other: Employer }[]> {
  const { rows } = await sql<Employer>`
    select key, name, people from employers as e where not exists (select from employer_merges where key = e.key)
    order by people desc, key limit ${sql.lit(comparedEmployers)}`.execute(db);
  const pairs = proposeMerges(rows);
  const digests = pairs.flatMap(({ one, other }) => [toEmployerDigest(one.key), toEmployerDigest(other.key)]);
  const { rows: acts } = await sql<{ separated: string }>`
    select subject || "into" as separated from (
      select subject, details ->> 'into' as "into", lead(action) over (partition by subject order by id) as next
      from audit_records where subject = any(${digests}::text[])
    ) as acts where "into" is not null and next = 'employers-separated'`.execute(db);
  const separated = new Set(acts.map((act) => act.separated));
  const isSeparated = (one: Employer, other: Employer) =>
    separated.has(toEmployerDigest(one.key) + toEmployerDigest(other.key));
  return pairs.filter(({ one, other }) => !isSeparated(one, other) && !isSeparated(other, one));
}

const maxMerged = 500;

/** @param into only those that are part of these employers */
export async function findMerged(db: Db, into?: readonly Employer[]): Promise<{ key: string; into: Employer }[]> {
  const isChosen = into ? sql`m.same_as = any(${into.map(({ key }) => key)}::text[])` : sql`true`;
  const { rows } = await sql<{ key: string; into: Employer }>`
    select m.key, json_build_object('key', e.key, 'name', e.name, 'people', e.people) as into
    from employer_merges as m join employers as e on e.key = m.same_as
    where ${isChosen} order by m.merged_at desc, m.key limit ${sql.lit(maxMerged)}`.execute(db);
  return rows;
}

/**
 * Merges an employer into another one, or separates it. An employer that was merged into it before stays with it, so
 * that a separation restores the state before the merge.
 * @param into null separates
 * @returns the key of the listings that change
 * @throws ProblemError not-found, staff/refused
 */
export async function mergeEmployer(tx: Db, key: string, into: string | null): Promise<string> {
  // Two parallel merges could form a circle. Saves of profiles only read the table and do not wait.
  await sql`lock table employer_merges in share row exclusive mode`.execute(tx);
  const before = await resolveKey(tx, key);
  if (into === null) {
    if (before === key) throw new ProblemError('not-found');
    await tx.deleteFrom('employer_merges').where('key', '=', key).execute();
  } else {
    if (before !== key) throw refused('This employer is already part of another one. Separate it first.');
    const target = await resolveKey(tx, into);
    if (target === key) throw refused('The other employer is part of this one.');
    const known = await tx.selectFrom('employers').select('key').where('key', 'in', [key, target]).execute();
    if (known.length < 2) throw new ProblemError('not-found');
    await tx.insertInto('employer_merges').values({ key, merged_into: into, same_as: target }).execute();
  }
  await sql`
    with recursive chains as (
      select key, merged_into as last from employer_merges
      union all select c.key, m.merged_into from chains as c join employer_merges as m on m.key = c.last
    )
    update employer_merges as m set same_as = c.last from chains as c
    where c.key = m.key and m.same_as <> c.last
      and not exists (select from employer_merges where key = c.last)`.execute(tx);
  return before;
}

async function resolveKey(db: Db, key: string): Promise<string> {
  const merge = await db.selectFrom('employer_merges').select('same_as').where('key', '=', key).executeTakeFirst();
  return merge?.same_as ?? key;
}

const batchSize = 500;

/** Recomputes the employer key of all listings that have a key, in batches, so that saves can continue. */
export async function rewriteEmployerKeys(db: Db, key: string): Promise<void> {
  let last: string | null = null;
  do {
    const after: string | null = last;
    last = await inTransaction(db, (tx) => rewriteNextKeys(tx, key, after));
  } while (last !== null);
}

async function rewriteNextKeys(tx: Db, key: string, after: string | null): Promise<string | null> {
  const hasKey = sql`audience = 'members' and employer_key = ${key}`;
  // Locks the accounts, as a save does.
  const { rows: accounts } = await sql<{ id: string }>`
    select id from accounts where id in (
      select account_id from listings
      where ${hasKey} and account_id > ${after ?? '00000000-0000-0000-0000-000000000000'}
      order by account_id limit ${sql.lit(batchSize)})
    order by id for no key update`.execute(tx);
  const ids = accounts.map(({ id }) => id);
  const { rows: listings } = await sql<{ id: string; employer: string }>`
    select account_id as id, employer from listings where ${hasKey} and account_id = any(${ids}::uuid[])`.execute(tx);
  const ownKeys = listings.map(({ employer }) => toEmployerKey(employer));
  await sql`
    update listings as l set employer_key = own.key
    from (
      select id, coalesce(m.same_as, own_key) as key
      from unnest(${listings.map(({ id }) => id)}::uuid[], ${ownKeys}::text[]) as listed (id, own_key)
        left join employer_merges as m on m.key = own_key
    ) as own
    where l.account_id = own.id and l.audience = 'members' and l.employer_key <> own.key`.execute(tx);
  return ids.at(-1) ?? null;
}

/** Deletes the merges of the employers of a deleted person, if no listing has that spelling any more. */
export async function deleteUnusedMerges(tx: Db, positions: readonly Position[]): Promise<void> {
  const keys = positions.flatMap(({ employer }) => (employer === '' ? [] : [toEmployerKey(employer)]));
  if (keys.length === 0) return;
  const { rows } = await sql<{ key: string; shown: string[] }>`
    select key, array(select distinct employer from listings where audience = 'members' and employer_key = same_as) as shown
    from employer_merges where key = any(${keys}::text[])`.execute(tx);
  const unused = rows.filter(({ key, shown }) => !shown.some((employer) => toEmployerKey(employer) === key));
  for (const { key } of unused) {
    // Employers that were merged into it stay with the rest.
    await sql`update employer_merges set merged_into = same_as where merged_into = ${key}`.execute(tx);
    await tx.deleteFrom('employer_merges').where('key', '=', key).execute();
  }
}

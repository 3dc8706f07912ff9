import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Employer } from '#contract/careers.ts';
import { type Db, inTransaction } from '#server/db/client.ts';
import { refused } from '../staff/refused.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { proposeMerges, toEmployerKey } from './employer-key.ts';

const comparedEmployers = 2_000;

/** Stands for an employer in the audit log, which contains no text that a person typed. */
export const toEmployerDigest = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 32);

/**
 * Returns pairs of large employers that are probably the same, and that staff have neither merged nor separated. `one` is
 * the smaller one.
 */
export async function findProposals(db: Db): Promise<{ one: Employer; other: Employer }[]> {
  const { rows } = await sql<Employer>`
    select key, name, people from employers as e where not exists (select from employer_merges where key = e.key)
    order by people desc, key limit ${sql.lit(comparedEmployers)}`.execute(db);
  const byKey = new Map(rows.map((employer) => [employer.key, employer]));
  const pairs = proposeMerges(rows);
  const separated = await findSeparated(
    db,
    pairs.flatMap(({ key, sameAs }) => [key, sameAs]),
  );
  return pairs.flatMap(({ key, sameAs }) => {
    const [one, other] = [byKey.get(key), byKey.get(sameAs)];
    const isSeparated = separated.has(toPair(key, sameAs)) || separated.has(toPair(sameAs, key));
    return one && other && !isSeparated ? [{ one, other }] : [];
  });
}

const toPair = (key: string, into: string): string => `${toEmployerDigest(key)} ${toEmployerDigest(into)}`;

/** Returns the pairs of employers that were merged and separated, from the audit log. */
async function findSeparated(db: Db, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ pair: string }>`
    select subject || ' ' || "into" as pair from (
      select subject, details ->> 'into' as "into", lead(action) over (partition by subject order by id) as next
      from audit_records where subject = any(${keys.map(toEmployerDigest)}::text[])
    ) as acts where "into" is not null and next = 'employers-separated'`.execute(db);
  return new Set(rows.map(({ pair }) => pair));
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
    where c.key = m.key and m.same_as <> c.last and not exists (select from employer_merges where key = c.last)`.execute(
    tx,
  );
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

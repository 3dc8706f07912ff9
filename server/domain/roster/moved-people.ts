import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { EntryChange } from '#server/db/schema.ts';
import { openDispute } from '../membership/confirmations.ts';
import { namesAgree } from '../membership/identity-agreement.ts';

interface MovedPerson {
  readonly entryId: number;
  readonly accountId: string;
  readonly line: number | null;
}

/**
 * Returns the entries that accounts are confirmed as and that changes turn into another person: the first or last name
 * differs except for case, diacritics and order, or a birth date differs or is removed. A birth date in a blank field
 * moves no one.
 * @param changes a query of changed entries, with the columns `entry_id`, `line`, `last_name`, `first_name` and
 *   `birth_date`, and with the new values as `new_last_name`, `new_first_name` and `new_birth_date`
 */
export const findMovedPeople = (db: Db, changes: RawBuilder<unknown>): Promise<MovedPerson[]> =>
  findMoved(db, sql`select entry_id, account_id from roster_links`, changes);

/**
 * Deletes the unused codes of entries that changes turn into another person: a slip names the person of before. Call it
 * before the entries are locked, because a request that uses a code locks the code before its entry.
 * @param changes as for `findMovedPeople`
 */
export async function deleteCodesOfMoved(tx: Db, changes: RawBuilder<unknown>): Promise<void> {
  const coded = sql`select distinct entry_id, null::uuid as account_id from membership_codes where ${isUnusedCode}`;
  const moved = (await findMoved(tx, coded, changes)).map(({ entryId }) => entryId);
  await sql`delete from membership_codes where ${isUnusedCode} and entry_id = any(${moved}::bigint[])`.execute(tx);
}

const isUnusedCode = sql<boolean>`used_at is null and kind <> 'notice'`;

async function findMoved(db: Db, entries: RawBuilder<unknown>, changes: RawBuilder<unknown>): Promise<MovedPerson[]> {
  const { rows } = await sql<MovedPerson & { isOtherDate: boolean; before: Names; after: Names }>`
    select l.entry_id::int as "entryId", l.account_id as "accountId", c.line,
      c.birth_date is not null and c.birth_date is distinct from c.new_birth_date as "isOtherDate",
      json_build_object('lastName', c.last_name, 'firstName', c.first_name) as before,
      json_build_object('lastName', c.new_last_name, 'firstName', c.new_first_name) as after
    from (${entries}) as l join (${changes}) as c on c.entry_id = l.entry_id
    where (c.last_name, c.first_name, c.birth_date) is distinct from (c.new_last_name, c.new_first_name, c.new_birth_date)
    order by c.line, l.entry_id`.execute(db);
  return rows.filter(({ isOtherDate, before, after }) => isOtherDate || !namesAgree(before, after));
}

type Names = Parameters<typeof namesAgree>[0];

/** Makes the links of these entries contested: their holders no longer read them, and staff decide. */
export async function contestMovedPeople(tx: Db, people: readonly MovedPerson[], change: EntryChange): Promise<void> {
  for (const { entryId, accountId } of people)
    await openDispute(tx, { entryId, holderId: accountId, claimantId: null, change });
}

/**
 * Closes the disputes that an import opened because it moved these people, and makes the entries as contested as they
 * were before. Call it when the import is undone, while its changes are stored.
 * @returns the people without such a dispute
 */
export async function closeDisputesOfImport(
  tx: Db,
  people: readonly MovedPerson[],
  { id, appliedAt }: { id: number; appliedAt: Date },
): Promise<MovedPerson[]> {
  if (people.length === 0) return [];
  const { rows } = await sql<{ entryId: number }>`
    with closed as (
      update disputes d set closed_at = now(), outcome = 'undone'
      from unnest(${people.map(({ entryId }) => entryId)}::bigint[], ${people.map(({ accountId }) => accountId)}::uuid[]) as p (entry_id, account_id)
      where d.entry_id = p.entry_id and d.holder_id = p.account_id and d.entry_change = 'import' and d.closed_at is null
        and d.created_at >= ${appliedAt}
      returning d.id, d.entry_id, d.created_at
    ), calmed as (
      update roster_entries e set contested_at = (c.before ->> 'contested_at')::timestamptz
      from closed d join roster_changes c on c.entry_id = d.entry_id and c.import_id = ${id}
      -- Else, the entry was contested again later.
      where e.id = d.entry_id and e.contested_at = d.created_at
    )
    select entry_id::int as "entryId" from closed`.execute(tx);
  const closed = new Set(rows.map(({ entryId }) => entryId));
  return people.filter(({ entryId }) => !closed.has(entryId));
}

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#server/db/client.ts';

interface ItemScope {
  readonly college: string | null;
  readonly department: string | null;
  readonly year_graduated: number | null;
}

/**
 * Returns the scope of an item that opens: the class of the roster entry, else of the profile at this moment. It is
 * stored with the item and does not change, so that no one chooses who decides.
 * @param entryId the entry that the item is about. Null: the one that the account is confirmed as, if any
 */
export async function findItemScope(db: Db, accountId: string, entryId: number | null): Promise<ItemScope> {
  const { rows } = await itemScopeSql(accountId, entryId).execute(db);
  return rows[0] ?? { college: null, department: null, year_graduated: null };
}

/** SQL of `findItemScope`: one row, or none without the account. */
export function itemScopeSql(accountId: string, entryId: number | null): RawBuilder<ItemScope> {
  const from = (column: string) =>
    sql`case when coalesce(e.department, e.college) is null then ${sql.ref(`p.${column}`)} else ${sql.ref(`e.${column}`)} end as ${sql.ref(column)}`;
  return sql`
    select ${from('college')}, ${from('department')}, ${from('year_graduated')}
    from accounts a left join profiles p on p.account_id = a.id left join roster_links l on l.account_id = a.id and not l.is_further
      left join roster_entries e on e.id = coalesce(${entryId}::bigint, l.entry_id)
    where a.id = ${accountId}`;
}

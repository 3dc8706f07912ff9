import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';

export interface MadeExport {
  readonly id: string;
  readonly madeAt: Date;
  readonly email: string | null;
  readonly people: number;
}

export const findMadeExport = async (db: Db, id: string): Promise<MadeExport | null> =>
  (await findMade(db, sql`e.id = ${id}`))[0] ?? null;

/**
 * Returns the exports in whose order these people are (decision 71), and how many of the addresses have an account.
 * @param emails canonical, in the order of the copy
 */
export async function findExportsInOrder(
  db: Db,
  emails: readonly string[],
): Promise<{ known: number; exports: MadeExport[] }> {
  const { rows } = await sql<{ id: string }>`
    select a.id from unnest(${emails}::text[]) with ordinality as copy (email, place) join accounts a on a.email = copy.email
    order by place`.execute(db);
  const ids = rows.map(({ id }) => id);
  const exports = await findMade(
    db,
    sql`not exists (
      select from (
        select hash, lag(hash) over (order by place) as previous
        from unnest(${ids}::text[]) with ordinality as copy (id, place),
          lateral (select sha256(convert_to(e.id::text || copy.id, 'utf8')) as hash) as hashed
      ) as pairs where hash <= previous)`,
  );
  return { known: ids.length, exports };
}

async function findMade(db: Db, condition: ReturnType<typeof sql>): Promise<MadeExport[]> {
  const { rows } = await sql<MadeExport>`
    select e.id, e.made_at as "madeAt", e.people, a.email from people_exports e left join accounts a on a.id = e.account_id
    where e.made_at is not null and ${condition} order by e.made_at`.execute(db);
  return rows;
}

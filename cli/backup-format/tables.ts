import type pg from 'pg';

export interface Table {
  readonly name: string;
  readonly columns: string[];
}

/** Kysely's tables with the applied migrations. A restore runs the migrations instead of copying these rows. */
const migrationTables = ['kysely_migration', 'kysely_migration_lock'];

/**
 * Lists the permanent tables, each after the tables that its foreign keys refer to. Unlogged tables are omitted:
 * they contain counters of the last minutes, the rows of a roster import that is not applied yet, and documents that
 * staff have not opened yet.
 */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `with recursive tables as (
       select c.oid, c.relname from pg_class as c
       where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
         and c.relname <> all($1)
     ), depths as (
       select oid, 0 as depth from tables
       union
       select k.conrelid, depth + 1 from depths join pg_constraint as k on k.confrelid = depths.oid
       where k.contype = 'f' and k.conrelid <> k.confrelid and depth < 100
     )
     select relname as name,
       array(select a.attname::text from pg_attribute as a
             where a.attrelid = tables.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
             order by a.attnum) as columns
     from tables order by (select max(depth) from depths where depths.oid = tables.oid), relname`,
    [migrationTables],
  );
  return rows;
}

/**
 * Tables that a backup omits, because a restore fills them from the profiles. The row of `pending_search_rebuild` is
 * omitted as well, because the restore does that rebuild.
 */
export const derivedTables: readonly string[] = [
  'listings',
  'listing_counts',
  'career_counts',
  'employers',
  'search_words',
  'search_spellings',
  'pending_search_rebuild',
];

/** Columns of `listings` that cannot be derived: the time since when a person has been in each list. */
export const listedSinceColumns = ['audience', 'account_id', 'listed_at'];

export const selectSavedTables = (tables: readonly Table[]): Table[] =>
  tables.flatMap((table) => {
    if (table.name === 'listings') return { ...table, columns: listedSinceColumns };
    return derivedTables.includes(table.name) ? [] : table;
  });

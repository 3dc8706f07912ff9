import type pg from 'pg';

/** A table of the archive's. */
export interface Table {
  readonly name: string;
  /** Those that are written, not those that PostgreSQL computes. */
  readonly columns: string[];
}

/** Kysely's own, which say how far the tables have been migrated: a restore migrates, it does not copy that. */
const ownTables = ['kysely_migration', 'kysely_migration_lock'];

/**
 * Lists the tables that outlive the database server, each after those that it refers to. Unlogged tables hold what is counted for
 * minutes only, and are left out.
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
    [ownTables],
  );
  return rows;
}

/**
 * Tables that a backup does not need: a restore fills them from the profiles. That is the rebuild which `pending_search_rebuild`
 * asks for, so its row is left out as well.
 */
export const derivedTables: readonly string[] = [
  'listings',
  'listing_counts',
  'search_words',
  'search_spellings',
  'pending_search_rebuild',
];

/** The columns of `listings` that cannot be derived: since when a person has been in each list. */
export const listedSince = ['audience', 'account_id', 'listed_at'];

/** What a backup holds of these tables: all columns, but of the derived ones only what cannot be derived. */
export const savedTables = (tables: readonly Table[]): Table[] =>
  tables.flatMap((table) => {
    if (table.name === 'listings') return { ...table, columns: listedSince };
    return derivedTables.includes(table.name) ? [] : table;
  });

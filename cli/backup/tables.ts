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
 * The tables that outlive the database server, each after those that it refers to. What is unlogged is counted for minutes
 * only, and stays out.
 */
export async function listTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows: tables } = await client.query<Table & { refers_to: string[] }>(
    `select c.relname as name,
            array(select a.attname::text from pg_attribute as a
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                  order by a.attnum) as columns,
            array(select f.relname::text from pg_constraint as k join pg_class as f on f.oid = k.confrelid
                  where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as refers_to
     from pg_class as c
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
       and c.relname <> all($1)
     order by c.relname`,
    [ownTables],
  );
  const sorted: Table[] = [];
  const names = new Set<string>();
  const waiting = [...tables];
  while (waiting.length > 0) {
    const at = waiting.findIndex(({ refers_to }) =>
      refers_to.every((other) => names.has(other) || !waiting.some(({ name }) => name === other)),
    );
    const [next] = waiting.splice(at, 1);
    if (at === -1 || !next) throw new Error('The tables refer to each other in a circle.');
    sorted.push({ name: next.name, columns: next.columns });
    names.add(next.name);
  }
  return sorted;
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

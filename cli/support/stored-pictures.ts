import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Table, listTables } from '../backup-format/tables.ts';

/**
 * Returns a query for the names of all pictures that rows reference. Every column called `picture` contains such a
 * name.
 */
export async function createPictureQuery(client: pg.ClientBase): Promise<string> {
  const tables: Table[] = (await listTables(client)).filter(({ columns }) => columns.includes('picture'));
  const each = tables.map(({ name }) => `select picture from ${pg.escapeIdentifier(name)} where picture is not null`);
  return `${each.join(' union ')} order by 1`;
}

export async function* readPictureNames(client: pg.Client): AsyncGenerator<string> {
  yield* readLines(client.query(copyTo(`copy (${await createPictureQuery(client)}) to stdout`)));
}

export async function countRows(client: pg.ClientBase, query: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*)::float8 as count from (${query}) as rows`);
  return rows[0]?.count ?? 0;
}

/** Splits a stream into lines. `readline` would end without an error when its stream fails. */
async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Table, listTables } from '../backup-format/tables.ts';

/** A question for the names of all pictures that rows name: every column of this name has one, whichever table it is in. */
export async function picturesQuery(client: pg.ClientBase): Promise<string> {
  const tables: Table[] = (await listTables(client)).filter(({ columns }) => columns.includes('picture'));
  const each = tables.map(({ name }) => `select picture from ${pg.escapeIdentifier(name)} where picture is not null`);
  return `${each.join(' union ')} order by 1`;
}

/** The names of all pictures that rows name, however many there are. */
export async function* pictureNames(client: pg.Client): AsyncGenerator<string> {
  yield* linesOf(client.query(copyTo(`copy (${await picturesQuery(client)}) to stdout`)));
}

/** How many rows a question has. */
export async function count(client: pg.ClientBase, query: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(`select count(*)::float8 as count from (${query}) as rows`);
  return rows[0]?.count ?? 0;
}

/** Not `readline`: it ends without a word where its stream fails. */
async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

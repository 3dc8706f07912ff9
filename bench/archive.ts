import { join } from 'node:path';
import pg from 'pg';
import type { Institution } from '#contract/institution.ts';
import { type Database, openDatabase } from '#server/db/client.ts';
import { startEmbedded } from '#server/db/embedded.ts';
import { migrate } from '#server/db/migrate.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { urlOf } from '#server/db/url.ts';
import { fill } from './fill.ts';

/** A PostgreSQL with synthetic people in it. */
export interface BenchArchive {
  readonly database: Database;
  readonly url: string;
  readonly institution: Institution;
  readonly people: number;
  stop(): Promise<void>;
}

/** What a machine that carries so many people gives its database; all else is as the product starts it. */
const settings = { shared_buffers: '1GB', effective_cache_size: '4GB', max_wal_size: '4GB', max_connections: '60' };

/** Opens the archive in this folder; the first time, fills it with so many people. */
export async function openBenchArchive(
  dataDir: string,
  people: number,
  say: (line: string) => void = console.log,
): Promise<BenchArchive> {
  const institution = readInstitution(join(import.meta.dirname, '..', 'institution.json'));
  const folder = openDataFolder(dataDir);
  const embedded = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser, settings });
  await migrate(embedded.connection);
  const database = openDatabase(embedded.connection, (error) => say(`a connection broke: ${error.message}`));
  const stop = async () => {
    await database.close();
    await embedded.stop();
  };
  try {
    const { rows } = await database.pool.query<{ people: number }>('select count(*)::int as people from profiles');
    const there = rows[0]?.people ?? 0;
    if (there === 0) {
      await fill(database, institution, people, say);
      await writeCheckpoint(embedded.superuser);
    } else if (there !== people)
      throw new Error(`${dataDir} has ${there} people, not ${people}: choose another folder.`);
  } catch (error) {
    await stop();
    throw error;
  }
  return { database, url: urlOf(embedded.connection), institution, people, stop };
}

/** Only a superuser may write one. Without it, the first minutes of a measurement would share the disk with it. */
async function writeCheckpoint(superuser: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

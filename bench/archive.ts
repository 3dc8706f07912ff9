import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Institution } from '#contract/institution.ts';
import { type Database, openDatabase } from '#server/db/client.ts';
import { startEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { migrate } from '#server/db/migrate.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { urlOf } from '#server/db/url.ts';
import { fillDatabase } from './fill-database.ts';

export interface BenchArchive {
  readonly database: Database;
  readonly url: string;
  readonly institution: Institution;
  readonly people: number;
  /** The parent of all other processes of PostgreSQL. */
  readonly postmasterPid: number;
  stop(): Promise<void>;
}

/** Settings for a large archive. All others are the same as in production. */
const postgresSettings = {
  shared_buffers: '1GB',
  effective_cache_size: '4GB',
  max_wal_size: '4GB',
  max_connections: '60',
};

export async function openBenchArchive(
  dataDir: string,
  people: number,
  log: (line: string) => void = console.log,
): Promise<BenchArchive> {
  const institution = readInstitution(join(import.meta.dirname, '..', 'institution.json'));
  const folder = openDataFolder(dataDir);
  const embedded = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser, settings: postgresSettings });
  await migrate(embedded.connection, embedded.auditOwner);
  const database = openDatabase(embedded.connection, (error) => log(`Database connection lost: ${error.message}`));
  const stop = async () => {
    await database.close();
    await embedded.stop();
  };
  try {
    const { rows } = await database.pool.query<{ people: number }>('select count(*)::int as people from profiles');
    const existing = rows[0]?.people ?? 0;
    if (existing === 0) {
      // Building an index of a large archive takes longer than a request may.
      const filling = openDatabase({ ...embedded.connection, statement_timeout: 0 }, () => undefined);
      try {
        await fillDatabase(filling, institution, people, log);
      } finally {
        await filling.close();
      }
      await writeCheckpoint(embedded.superuser);
    } else if (existing !== people)
      throw new Error(`${dataDir} contains ${existing} people, not ${people}. Choose another folder.`);
  } catch (error) {
    await stop();
    throw error;
  }
  const postmasterPid = Number.parseInt(readFileSync(join(folder.path, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  return { database, url: urlOf(embedded.connection), institution, people, postmasterPid, stop };
}

/** Requires a superuser. The checkpoint must not slow down the first minutes of a measurement. */
async function writeCheckpoint(superuser: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(superuser);
  await client.connect();
  try {
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

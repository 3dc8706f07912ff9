import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../db/embedded.ts';
import { migrate } from '../db/migrate.ts';
import { openDataFolder } from '../platform/storage/data-folder.ts';

/** A PostgreSQL for tests: migrated once, copied for whoever needs a database of their own. */
export interface TestDatabases {
  /** How to reach the server; plain data, so it can be handed to other processes. */
  readonly server: pg.PoolConfig;
  /** Connects as the role that creates and drops databases: the superuser of the embedded server, or the role at TEST_DATABASE_URL. */
  readonly superuser: pg.PoolConfig;
  readonly template: string;
}

const prefix = 'archive_test_';

/**
 * Starts the embedded PostgreSQL, or takes the one at TEST_DATABASE_URL, and prepares a database to copy.
 * @param fill more than the migrations, e.g. a campus; runs once
 */
export async function prepareDatabases(
  fill: (connection: pg.PoolConfig) => Promise<void> = async () => undefined,
): Promise<TestDatabases & { end: () => Promise<void> }> {
  const url = process.env['TEST_DATABASE_URL'];
  const embedded = url ? null : await startThrowaway();
  const server: pg.PoolConfig = embedded?.connection ?? fromUrl(url ?? '');
  const superuser = embedded?.superuser ?? server;
  const template = `${prefix}${randomBytes(4).toString('hex')}`;
  const own = new Set([template]);
  await administer(superuser, async (client) => {
    await client.query(`create database ${template} owner ${pg.escapeIdentifier(server.user ?? '')}`);
  });
  await migrate({ ...server, database: template });
  await fill({ ...server, database: template });
  return {
    server,
    superuser,
    template,
    end: async () => {
      await administer(superuser, async (client) => {
        const { rows } = await client.query<{ datname: string }>(
          'select datname from pg_database where datname like $1',
          [`${template}%`],
        );
        for (const name of new Set([...own, ...rows.map(({ datname }) => datname)])) {
          await client.query(`drop database if exists ${name} with (force)`);
        }
      });
      await embedded?.stop();
    },
  };
}

/** A database of one's own, with everything the template has. @returns its connection, and how to drop it */
export async function copyDatabase(
  { server, superuser, template }: TestDatabases,
  name = `${template}_${randomBytes(4).toString('hex')}`,
): Promise<{ connection: pg.PoolConfig; drop: () => Promise<void> }> {
  const owner = pg.escapeIdentifier(server.user ?? '');
  await administer(superuser, async (client) => {
    await client.query(`create database ${name} template ${template} owner ${owner}`);
  });
  return {
    connection: { ...server, database: name },
    drop: () =>
      // As the superuser: no other role may end the autovacuum worker that looks into it at this moment.
      administer(superuser, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

function fromUrl(text: string): pg.PoolConfig {
  const url = new URL(text);
  return {
    host: url.searchParams.get('host') ?? decodeURIComponent(url.hostname),
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || 'postgres',
  };
}

async function administer(server: pg.PoolConfig, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({
    ...server,
    database: process.env['TEST_DATABASE_URL'] ? server.database : 'postgres',
  });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** An embedded server in a temporary folder. It need not survive a power cut, so it does not wait for the disk. */
async function startThrowaway() {
  const place = mkdtempSync(join(tmpdir(), 'archive-test-'));
  // As root, PostgreSQL runs as user nobody, who has to get in.
  chmodSync(place, 0o711);
  const folder = openDataFolder(place);
  const server = await startEmbedded({
    dataDir: folder.path,
    user: folder.postgresUser,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '200',
      // On a busy machine a worker that looks into the template does not end in time, and the template cannot be copied.
      autovacuum: 'off',
    },
  });
  return {
    connection: server.connection,
    superuser: server.superuser,
    stop: async () => {
      await server.stop();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

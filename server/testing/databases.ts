import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { migrate } from '#server/db/migrate.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';

export interface TestDatabases {
  /** Connection settings as plain data, so that they can be passed to other processes. */
  readonly server: pg.PoolConfig;
  readonly superuser: pg.PoolConfig;
  readonly template: string;
}

const prefix = 'archive_test_';

/**
 * Starts the embedded PostgreSQL, or uses the one at TEST_DATABASE_URL, and creates the template database.
 * @param fill adds data to the template, e.g. a campus
 */
export async function prepareDatabases(
  fill: (connection: pg.PoolConfig) => Promise<void> = async () => undefined,
): Promise<TestDatabases & { end: () => Promise<void> }> {
  const url = process.env['TEST_DATABASE_URL'];
  const embedded = url ? null : await startTemporaryServer();
  const server: pg.PoolConfig = embedded?.connection ?? parseConnectionUrl(url ?? '');
  const superuser = embedded?.superuser ?? server;
  const template = `${prefix}${randomBytes(4).toString('hex')}`;
  const own = new Set([template]);
  await withClient(superuser, async (client) => {
    await client.query(`create database ${template} owner ${pg.escapeIdentifier(server.user ?? '')}`);
  });
  await migrate({ ...server, database: template }, embedded && { ...embedded.auditOwner, database: template });
  await fill({ ...server, database: template });
  // PostgreSQL cannot copy a database that has a connection.
  await withClient(superuser, async (client) => {
    await client.query(`alter database ${template} with allow_connections false`);
  });
  return {
    server,
    superuser,
    template,
    end: async () => {
      await withClient(superuser, async (client) => {
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

export async function copyDatabase(
  { server, superuser, template }: TestDatabases,
  name = `${template}_${randomBytes(4).toString('hex')}`,
): Promise<{ connection: pg.PoolConfig; drop: () => Promise<void> }> {
  const owner = pg.escapeIdentifier(server.user ?? '');
  await withClient(superuser, async (client) => {
    // Copying files takes half of the CPU time of copying pages through the write-ahead log.
    await client.query(`create database ${name} template ${template} owner ${owner} strategy file_copy`);
  });
  return {
    connection: { ...server, database: name },
    drop: () =>
      // Connect as the superuser, because only a superuser can terminate an autovacuum worker in this database.
      withClient(superuser, async (client) => {
        await client.query(`drop database if exists ${name} with (force)`);
      }),
  };
}

function parseConnectionUrl(text: string): pg.PoolConfig {
  const url = new URL(text);
  return {
    host: url.searchParams.get('host') ?? decodeURIComponent(url.hostname),
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)) || 'postgres',
  };
}

async function withClient(server: pg.PoolConfig, work: (client: pg.Client) => Promise<void>): Promise<void> {
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

async function startTemporaryServer() {
  const place = mkdtempSync(join(tmpdir(), 'archive-test-'));
  // Under root, PostgreSQL runs as user nobody, which needs access.
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
      // On a busy machine, an autovacuum worker in the template would prevent copying it.
      autovacuum: 'off',
    },
  });
  return {
    connection: server.connection,
    auditOwner: server.auditOwner,
    superuser: server.superuser,
    stop: async () => {
      await server.stop();
      rmSync(folder.path, { recursive: true, force: true });
    },
  };
}

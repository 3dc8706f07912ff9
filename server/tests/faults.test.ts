import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { applicationRole } from '#server/db/application-role.ts';
import { openDatabase } from '#server/db/client.ts';
import { migrateTables } from '#server/db/migrate.ts';
import { urlOf } from '#server/db/url.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { startCrowd } from '#server/testing/crowd.ts';
import { Browser } from '#server/testing/browser.ts';
import { freePort } from '#server/testing/free-port.ts';
import {
  spawnServer,
  cleanUp,
  findConnection,
  readDatabasePid,
  end,
  prepareServer,
  run,
  findSuperuserConnection,
} from '#server/testing/server-process.ts';

/* Crashes of the server and its database while members write. Longer tests are in `faults/`. */

afterEach(cleanUp);

const pollOptions = { timeout: 60_000, interval: 50 };

describe('during writes', () => {
  test('a killed database is restarted without losing acknowledged writes or jobs', { tags: ['release'] }, async () => {
    const { environment, dataDir, inbox, origin } = await prepareServer();
    const product = await run(environment);
    expect(product.ready, product.output).toBe(true);
    const crowd = await startCrowd({ origin, inbox }, 4);
    await expect.poll(() => crowd.acknowledged, pollOptions).toBeGreaterThan(20);
    process.kill(readDatabasePid(dataDir), 'SIGKILL');
    await expect.poll(() => crowd.statuses.get(503) ?? 0, pollOptions).toBeGreaterThan(0);
    const before = crowd.acknowledged;
    await expect.poll(() => crowd.acknowledged, pollOptions).toBeGreaterThan(before + 20);
    await crowd.stop();
    expect(new Set(crowd.statuses.keys())).toEqual(new Set([200, 503]));
    expect(crowd.missingRetryAfter).toBe(0);
    await crowd.verify(await findConnection(dataDir), dataDir);
    // The server process and its queue have continued.
    expect(product.child.exitCode).toBeNull();
    expect(product.readOutput()).toContain('PostgreSQL exited unexpectedly; restarting it');
    const late = new Browser(origin, '10.8.0.1');
    await late.ask('POST /api/identity/password-reset', { body: { email: 'writer0@mail.example' } });
    await inbox.next('writer0@mail.example', 'Choose a new password');
    await end(product.child, 'SIGTERM');
    expect(product.child.exitCode).toBe(0);
  });

  test('a terminated database connection loses no acknowledged write', { tags: ['release'] }, async () => {
    const { environment, dataDir, inbox, origin } = await prepareServer();
    const product = await run(environment);
    const crowd = await startCrowd({ origin, inbox }, 2);
    const client = new pg.Client(await findConnection(dataDir));
    await client.connect();
    for (let round = 0; round < 3; round++) {
      const before = crowd.acknowledged;
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
      );
      await expect.poll(() => crowd.acknowledged, pollOptions).toBeGreaterThan(before + 5);
    }
    await client.end();
    await crowd.stop();
    expect([...crowd.statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await crowd.verify(await findConnection(dataDir), dataDir);
    await end(product.child, 'SIGTERM');
  });

  test(
    'a killed server loses no acknowledged write, and leaves no partial profile or missing picture',
    { tags: ['release'] },
    async () => {
      const { environment, dataDir, inbox, origin } = await prepareServer();
      const first = await run(environment);
      expect(first.ready, first.output).toBe(true);
      const crowd = await startCrowd({ origin, inbox }, 4);
      await expect.poll(() => crowd.acknowledged, pollOptions).toBeGreaterThan(20);
      await end(first.child, 'SIGKILL');
      const second = await run(environment);
      expect(second.output).toContain('adopted from a killed process');
      const before = crowd.acknowledged;
      await expect.poll(() => crowd.acknowledged, pollOptions).toBeGreaterThan(before + 20);
      await crowd.stop();
      expect([...crowd.statuses.keys()].filter((status) => ![0, 200].includes(status))).toEqual([]);
      await crowd.verify(await findConnection(dataDir), dataDir);
      await end(second.child, 'SIGTERM');
    },
  );
});

describe('a start with DATABASE_URL', () => {
  test('waits for a database that does not accept connections yet', { tags: ['release'] }, async () => {
    const own = await copyDatabase(inject('databases'));
    const port = await freePort();
    const { environment } = await prepareServer();
    const url = new URL(urlOf(own.connection));
    url.searchParams.delete('host');
    [url.hostname, url.port] = ['127.0.0.1', String(port)];
    const start = spawnServer({ ...environment, DATABASE_URL: url.href });
    await once(start.child.stderr ?? start.child, 'data');
    // A TCP proxy to the database, which listens only from now on.
    const { host = '', port: inner = 5432 } = own.connection;
    const door = createServer((socket) => {
      const there = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${inner}`) : connect(inner, host);
      socket.pipe(there).pipe(socket);
      for (const end of [socket, there]) end.on('error', () => undefined);
    }).listen(port, '127.0.0.1');
    const product = await start.outcome;
    expect(product.ready, product.readOutput()).toBe(true);
    expect(product.readOutput()).toContain(`Waiting for the database at 127.0.0.1:${port}`);
    await end(product.child, 'SIGTERM');
    door.close();
    await own.drop();
  });

  test('fails immediately with advice when the database rejects the connection', { tags: ['release'] }, async () => {
    const { server, template } = inject('databases');
    const { environment } = await prepareServer();
    const wrong = { ...server, password: 'not this one' };
    const none = { ...server, database: `${template}_nowhere` };
    for (const [connection, sentence] of [
      [wrong, 'rejects the password. Correct it in DATABASE_URL.'],
      [none, 'has no database of this name. Create it with createdb, or correct the name in DATABASE_URL.'],
    ] as const) {
      const { ready, output } = await run({ ...environment, DATABASE_URL: urlOf(connection) });
      expect([ready, output]).toEqual([false, expect.stringContaining(sentence)]);
    }
  });
});

test(
  'a suspended server exits with an error when another start has taken its data folder',
  { tags: ['release'] },
  async () => {
    const { environment, dataDir } = await prepareServer();
    const first = await run(environment);
    expect(first.ready, first.output).toBe(true);
    first.child.kill('SIGSTOP');
    const client = new pg.Client(await findSuperuserConnection(dataDir));
    await client.connect();
    await client.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'`);
    await client.end();
    const port = await freePort();
    const second = await run({ ...environment, PORT: String(port) });
    expect(second.ready, second.output).toBe(true);
    const ended = once(first.child, 'exit');
    first.child.kill('SIGCONT');
    await ended;
    expect(first.child.exitCode).toBe(1);
    expect(first.readOutput()).toContain('Another process of the archive is using the data');
    expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200);
    await end(second.child, 'SIGTERM');
  },
);

test('an uncaught error ends the server and its database, and is logged without error details', async () => {
  const { environment, dataDir } = await prepareServer();
  const script = `
    import { runUntilSignal } from '${join(import.meta.dirname, '..', 'main.ts')}';
    const fault = Object.assign(new Error('out of the blue'), { detail: 'Key (email)=(somebody)' });
    await runUntilSignal({ loadWeb: () => null }, () => { setImmediate(() => { throw fault; }); return ''; });
  `;
  const product = await run(environment, [process.execPath, '--input-type=module', '-e', script]);
  expect(product.ready, product.output).toBe(true);
  const { child, readOutput } = product;
  if (child.exitCode === null) await once(child, 'exit');
  expect(child.exitCode).toBe(1);
  expect(readOutput()).toContain('out of the blue');
  expect(readOutput()).not.toContain('somebody');
  await expect.poll(() => existsSync(join(dataDir, 'postgres', 'postmaster.pid')), pollOptions).toBe(false);
});

describe('an interrupted migration', () => {
  test('leaves the old tables unchanged, and is completed by the next start', { tags: ['release'] }, async () => {
    const { connection: own, drop } = await copyDatabase(inject('databases'));
    const database = openDatabase(own, () => undefined);
    const superuser = new pg.Client({ ...inject('databases').superuser, database: own.database });
    await superuser.connect();
    await superuser.query(`drop schema public cascade; create schema public authorization ${applicationRole}`);
    await superuser.end();
    // An archive of an earlier version, with one account.
    await migrateTables(database.db, '004-gallery');
    await database.pool.query(
      `insert into accounts (email, email_verified, password_hash) values ('early@mail.example', true, '!')`,
    );
    const columns = () =>
      sql<{ name: string }>`select table_name || '.' || column_name as name from information_schema.columns
        where table_schema = 'public' order by 1`.execute(database.db);
    const before = (await columns()).rows;

    // A lock on a table blocks the migration halfway.
    const holder = new pg.Client(own);
    await holder.connect();
    await holder.query('begin; lock table accounts in share mode');
    const { environment } = await prepareServer();
    const settings = { ...environment, DATABASE_URL: urlOf(own) };
    const cutOff = spawnServer(settings);
    const waiting = async () =>
      (
        await database.pool.query(
          `select from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query ilike '%create table%'`,
        )
      ).rowCount;
    await expect.poll(waiting, pollOptions).toBe(1);
    await end(cutOff.child, 'SIGKILL');
    expect((await cutOff.outcome).ready).toBe(false);
    await holder.query('rollback');
    await holder.end();
    await expect.poll(async () => (await columns()).rows, pollOptions).toEqual(before);

    const next = await run(settings);
    expect(next.ready, next.output).toBe(true);
    const { rows } = await database.pool.query('select email from accounts');
    expect(rows).toEqual([{ email: 'early@mail.example' }]);
    await end(next.child, 'SIGTERM');
    await database.close();
    await drop();
  });
});

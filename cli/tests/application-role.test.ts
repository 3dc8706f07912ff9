import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { termsVersion } from '#contract/terms.ts';
import { startEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { migrate } from '#server/db/migrate.ts';
import { urlOf } from '#server/db/url.ts';
import { openDataFolder } from '#server/platform/storage/data-folder.ts';
import { cleanUp, findConnection, end, newFolder, prepareServer, run } from '#server/testing/server-process.ts';
import { runCommand } from '../testing/run-command.ts';

/* Server and commands connect to the embedded PostgreSQL with a role without superuser rights. */

afterEach(cleanUp);

async function query<Row extends object>(connection: pg.ClientConfig, text: string): Promise<Row[]> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const signUp = async (origin: string, email: string): Promise<number> => {
  const response = await fetch(`${origin}/api/identity/sign-up`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'a long enough word', terms: termsVersion }),
  });
  return response.status;
};

const connectedRoles = `select distinct r.rolname as name, r.rolsuper as "isSuperuser"
  from pg_stat_activity as s join pg_roles as r on r.oid = s.usesysid where s.datname = current_database()`;

const foreignObjects = `
  select * from (
  select oid::regclass::text as name from pg_class
  where relowner <> current_user::regrole and relnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
  union all
  select oid::regprocedure::text from pg_proc
  where proowner <> current_user::regrole and pronamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
  union all
  select oid::regtype::text from pg_type
  where typowner <> current_user::regrole and typnamespace in ('public'::regnamespace, 'pgboss'::regnamespace)
  union all
  select nspname from pg_namespace where nspname = 'pgboss' and nspowner <> current_user::regrole
  ) as objects where name not like '%audit_record%' and name <> 'refuse_audit_change()'`;

describe('the role of the embedded database', () => {
  test('is not a superuser, and cannot read files or start programs', { tags: ['asvs-13.2.2'] }, async () => {
    const { environment, dataDir, origin } = await prepareServer();
    const product = await run({ ...environment, WORKERS: '2' });
    expect(product.ready, product.output).toBe(true);
    expect(await signUp(origin, 'ada@mail.example')).toBe(200);
    expect((await runCommand(environment, 'doctor')).stdout).toMatch(
      /^(?:OK|WARN) {2,}PostgreSQL +18\.\d+(?:\.$| is older than 18\.\d+\. .*docs\/operations\.md)/mu,
    );
    const connection = await findConnection(dataDir);
    expect(await query(connection, connectedRoles)).toEqual([{ name: 'archive_app', isSuperuser: false }]);
    for (const statement of [
      `copy (select 1) to program 'true'`,
      `copy (select 1) to '/tmp/archive-copy'`,
      `select pg_read_file('PG_VERSION')`,
      'create role another',
      'create database another',
    ])
      await expect(query(connection, statement), statement).rejects.toMatchObject({ code: '42501' });
  });

  test('takes over the objects of a data folder that belong to the superuser', { tags: ['release'] }, async () => {
    const { environment, dataDir, origin } = await prepareServer();
    await createOldFolder(dataDir);
    const first = await run(environment);
    expect(first.ready, first.output).toBe(true);
    expect(await signUp(origin, 'ada@mail.example')).toBe(200);
    const connection = await findConnection(dataDir);
    expect(await query(connection, foreignObjects)).toEqual([]);
    await expectReadOnlyLog(connection);
    const file = join(newFolder('archive-backups-'), 'night.tar.gz');
    expect(await runCommand(environment, 'backup', file)).toMatchObject({ code: 0 });
    expect(await signUp(origin, 'grace@mail.example')).toBe(200);
    await end(first.child, 'SIGTERM');

    expect(await runCommand(environment, 'restore', file, '--replace')).toMatchObject({ code: 0 });
    const second = await run(environment);
    expect(second.ready, second.output).toBe(true);
    expect(await query(connection, 'select email from accounts order by email')).toEqual([
      { email: 'ada@mail.example' },
      { email: 'older@mail.example' },
    ]);
    expect(await query(connection, foreignObjects)).toEqual([]);
  });

  test('can append to the audit log, but not change it; a restore keeps the records and their owner', async () => {
    const { environment, dataDir, origin } = await prepareServer();
    const first = await run({ ...environment, WORKERS: '2' });
    expect(first.ready, first.output).toBe(true);
    const connection = await findConnection(dataDir);
    const readRecords = () => query<{ id: number }>(connection, 'select * from audit_records order by id');
    expect(await signUp(origin, 'ada@mail.example')).toBe(200);
    await query(connection, `select append_audit_record(null, 'role-granted', null, null, '{}')`);
    await expectReadOnlyLog(connection);
    const records = await readRecords();
    expect(records).toHaveLength(1);
    const file = join(newFolder('archive-backups-'), 'night.tar.gz');
    expect(await runCommand(environment, 'backup', file)).toMatchObject({ code: 0 });
    await end(first.child, 'SIGTERM');

    expect(await runCommand(environment, 'restore', file, '--replace')).toMatchObject({ code: 0 });
    const second = await run(environment);
    expect(second.ready, second.output).toBe(true);
    expect(await readRecords()).toEqual(records);
    await expectReadOnlyLog(connection);
    expect((await runCommand(environment, 'doctor')).stdout).toMatch(/^OK {2,}audit log owner /mu);
    await query(connection, `select append_audit_record(null, 'role-granted', null, null, '{}')`);
    expect(await readRecords()).toHaveLength(2);
  });
});

function readComposeUrl(name: string): { user: string; database: string } {
  const compose = readFileSync(join(import.meta.dirname, '..', '..', 'compose.yaml'), 'utf8');
  const [, user = '', database = ''] =
    new RegExp(String.raw`^ +${name}: (?:&\w+ )?postgres://(\w+):\$\{\w+[^}]*\}@postgres:5432/(\w+)$`, 'mu').exec(
      compose,
    ) ?? [];
  return { user, database };
}

describe('the roles of compose.yaml', () => {
  test.each([
    ['a new database', false],
    ['a database in which the superuser owns all tables', true],
  ])('are created in %s, and doctor has nothing to warn about', { tags: ['release'] }, async (_, isOld) => {
    const { environment, origin } = await prepareServer();
    const folder = openDataFolder(newFolder('archive-external-'));
    const database = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser });
    try {
      // As the image of PostgreSQL creates it.
      const maintenance = { ...database.superuser, database: 'postgres' };
      await query(maintenance, 'drop database archive');
      await query(maintenance, 'drop role archive_app, archive_audit');
      await query(maintenance, 'create database archive');
      if (isOld) await migrate(database.superuser);
      if (isOld)
        await query(
          database.superuser,
          `insert into accounts (email, password_hash) values ('older@mail.example', '!')`,
        );
      const toUrl = (name: string, password = "it's $secret") =>
        urlOf({ ...database.superuser, ...readComposeUrl(name), password });
      const own = { DATABASE_URL: toUrl('DATABASE_URL'), AUDIT_DATABASE_URL: toUrl('AUDIT_DATABASE_URL') };
      const { password } = database.superuser;
      const withSuperuser = {
        ...own,
        DATABASE_SUPERUSER_URL: toUrl('DATABASE_SUPERUSER_URL', typeof password === 'string' ? password : ''),
      };
      for (const _again of [1, 2])
        expect(await runCommand(withSuperuser, 'database', 'prepare')).toMatchObject({ code: 0 });
      const product = await run({ ...environment, ...own });
      expect(product.ready, product.output).toBe(true);
      expect(await signUp(origin, 'ada@mail.example')).toBe(200);
      const connection = { connectionString: own.DATABASE_URL };
      expect(await query(connection, foreignObjects)).toEqual([]);
      await expectReadOnlyLog(connection);
      expect(await query(connection, 'select rolsuper from pg_roles where rolname = current_user')).toEqual([
        { rolsuper: false },
      ]);
      await query(connection, `select append_audit_record(null, 'role-granted', null, null, '{}')`);
      expect((await runCommand({ ...environment, ...own }, 'doctor')).stdout).toMatch(/^OK {2,}audit log owner /mu);
      const file = join(newFolder('archive-backups-'), 'night.tar.gz');
      expect(await runCommand({ ...environment, ...own }, 'backup', file)).toMatchObject({ code: 0 });
      await end(product.child, 'SIGTERM');

      expect(await runCommand({ ...environment, ...own }, 'restore', file, '--replace')).toMatchObject({ code: 0 });
      await expectReadOnlyLog(connection);
      expect(await query(connection, 'select email from accounts order by email')).toEqual([
        { email: 'ada@mail.example' },
        ...(isOld ? [{ email: 'older@mail.example' }] : []),
      ]);
      expect(await query(connection, 'select id from audit_records')).toHaveLength(1);
    } finally {
      await database.stop();
    }
  });

  test('need the three addresses', async () => {
    expect(
      await runCommand({ DATABASE_URL: 'postgres://archive_app:a@db/archive' }, 'database', 'prepare'),
    ).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('AUDIT_DATABASE_URL'),
    });
  });
});

test(
  'the documented statements give the audit log at DATABASE_URL its own owner, and a restore keeps it',
  { tags: ['release'] },
  async () => {
    const folder = openDataFolder(newFolder('archive-external-'));
    const server = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser });
    try {
      await query(server.superuser, 'drop role archive_audit');
      await migrate(server.connection);
      const environment = { DATABASE_URL: urlOf(server.connection), DATA_DIR: newFolder('archive-data-') };
      const file = join(newFolder('archive-backups-'), 'night.tar.gz');
      expect(await runCommand(environment, 'backup', file)).toMatchObject({ code: 0 });
      expect((await runCommand(environment, 'doctor')).stdout).toMatch(
        /^WARN {2,}audit log owner .*archive_app, which can rewrite the audit log\. See docs\/operations\.md/mu,
      );
      const docs = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'operations.md'), 'utf8');
      const [, statements = ''] = /## Give the audit log its own owner.*?```sql\n(.*?)```/su.exec(docs) ?? [];
      await query(server.superuser, statements.replaceAll(/\barchive\b/gu, 'archive_app'));
      const own = { user: 'archive_audit', password: 'PASSWORD' };
      const withOwner = { ...environment, AUDIT_DATABASE_URL: urlOf({ ...server.connection, ...own }) };
      // Gives the log its owner, as a start does.
      expect(await runCommand(withOwner, 'staff', 'list')).toMatchObject({ code: 0 });
      expect((await runCommand(withOwner, 'doctor')).stdout).toMatch(/^OK {2,}audit log owner /mu);
      await expectReadOnlyLog(server.connection);
      expect(await runCommand(environment, 'restore', file)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Set AUDIT_DATABASE_URL'),
      });
      expect(await runCommand(withOwner, 'restore', file)).toMatchObject({ code: 0 });
      await expectReadOnlyLog(server.connection);
    } finally {
      await server.stop();
    }
  },
);

async function expectReadOnlyLog(connection: pg.ClientConfig): Promise<void> {
  for (const statement of [
    'update audit_records set actor = null',
    'delete from audit_records',
    'truncate audit_records',
    'drop trigger audit_records_rows on audit_records',
    'create trigger mine before insert on audit_records for each row execute function refuse_audit_change()',
    'create rule mine as on insert to audit_records do instead nothing',
    'alter table audit_records disable trigger all',
    'alter table audit_records owner to archive_app',
    'alter table audit_records rename to old_records',
    'drop table audit_records cascade',
    'drop function refuse_audit_change cascade',
    'create or replace function refuse_audit_change() returns trigger language plpgsql as $$ begin return new; end $$',
    'alter function refuse_audit_change rename to other',
    'drop schema public cascade',
    'alter schema public rename to other',
    'alter schema public owner to archive_app',
    'create table child () inherits (audit_records)',
    'set role archive_audit',
    'set session_replication_role = replica',
    `alter role archive_audit password ''`,
    'grant archive_audit to archive_app',
  ])
    await expect(query(connection, statement), statement).rejects.toMatchObject({ code: '42501' });
}

/** Creates a data folder from a version without the application role: the superuser owns all objects. */
async function createOldFolder(dataDir: string): Promise<void> {
  const folder = openDataFolder(dataDir);
  const server = await startEmbedded({ dataDir: folder.path, user: folder.postgresUser });
  try {
    const maintenance = { ...server.superuser, database: 'postgres' };
    await query(maintenance, 'drop database archive');
    await query(maintenance, 'drop role archive_app, archive_audit');
    await query(maintenance, 'create database archive');
    await migrate(server.superuser);
    await query(server.superuser, `insert into accounts (email, password_hash) values ('older@mail.example', '!')`);
  } finally {
    await server.stop();
  }
}

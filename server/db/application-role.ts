import { createHmac } from 'node:crypto';
import pg from 'pg';

export const databaseName = 'archive';

/**
 * Role of all connections of the application to the embedded server. The role owns the database and is not a superuser
 * (decision 29).
 */
export const applicationRole = 'archive_app';

/**
 * Role that owns the audit log in the embedded server. Migrations and the restore command use it; it has all rights of
 * the application role.
 */
export const auditOwnerRole = 'archive_audit';

/**
 * Derives the password of a role from the superuser's with HMAC-SHA-256, so that the superuser's password stays secret.
 */
export const rolePassword = (superuserPassword: string, role: string): string =>
  createHmac('sha256', superuserPassword).update(role).digest('base64url');

export interface DatabaseRole {
  readonly name: string;
  readonly password: string;
}

export const roleOf = (connection: pg.ClientConfig): string => new pg.Client(connection).user ?? '';

/**
 * Creates the roles and the database if they are missing, and makes the application role the owner of everything of the
 * superuser in the database. Earlier versions connected as the superuser; their tables are reassigned. This runs at
 * each start, because running an earlier version again creates tables of the superuser again.
 * @param superuser an open connection to another database
 * @param connection connection settings of the superuser
 */
export async function prepareDatabase(
  superuser: pg.Client,
  connection: pg.ClientConfig,
  { database, application, auditOwner }: { database: string; application: DatabaseRole; auditOwner: DatabaseRole },
): Promise<void> {
  const role = pg.escapeIdentifier(application.name);
  for (const { name, password } of [application, auditOwner]) {
    const { rowCount: roles } = await superuser.query('select from pg_roles where rolname = $1', [name]);
    if (roles === 0) await superuser.query(`create role ${pg.escapeIdentifier(name)}`);
    await superuser.query(`alter role ${pg.escapeIdentifier(name)} login password ${pg.escapeLiteral(password)}`);
  }
  await superuser.query(`grant ${role} to ${pg.escapeIdentifier(auditOwner.name)}`);

  const { rowCount: databases } = await superuser.query('select from pg_database where datname = $1', [database]);
  const name = pg.escapeIdentifier(database);
  await superuser.query(
    databases === 0 ? `create database ${name} owner ${role}` : `alter database ${name} owner to ${role}`,
  );
  // The owner of the database can set its search path, so the superuser does not use that path.
  const client = new pg.Client({ ...connection, database, options: '-c search_path=pg_catalog' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(reassignOwned(application.name));
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Changes the owner of everything that the current user owns in this database to a role. `reassign owned` fails for the
 * bootstrap superuser, because that role also owns the system catalogs.
 */
const reassignOwned = (role: string) => `
do $$
declare
  statement text;
  role constant text := ${pg.escapeLiteral(role)};
begin
  for statement in
    with own_schemas as (
      select oid, nspname, nspowner from pg_namespace
      where nspname not like 'pg\\_%' and nspname <> 'information_schema'
    ), members as (
      -- Sequences of columns follow their tables. Members of extensions keep their owner.
      select classid, objid from pg_depend
      where deptype = 'e' or (deptype in ('a', 'i') and classid = 'pg_class'::regclass and refclassid = 'pg_class'::regclass
        and exists (select from pg_class where oid = objid and relkind = 'S'))
    )
    select format('alter schema %I owner to %I', nspname, role)
    from own_schemas where nspowner = current_user::regrole
    union all
    select format('alter table %s owner to %I', oid::regclass, role)
    from pg_class
    where relowner = current_user::regrole and relkind in ('r', 'p', 'v', 'm', 'S')
      and relnamespace in (select oid from own_schemas)
      and ('pg_class'::regclass, oid) not in (select classid, objid from members)
    union all
    select format('alter type %s owner to %I', t.oid::regtype, role)
    from pg_type as t left join pg_class as c on c.oid = t.typrelid
    where typowner = current_user::regrole and typnamespace in (select oid from own_schemas)
      and (typtype in ('e', 'd', 'r') or c.relkind = 'c')
      and ('pg_type'::regclass, t.oid) not in (select classid, objid from members)
    union all
    select format('alter routine %s owner to %I', oid::regprocedure, role)
    from pg_proc
    where proowner = current_user::regrole and pronamespace in (select oid from own_schemas)
      and ('pg_proc'::regclass, oid) not in (select classid, objid from members)
  loop
    execute statement;
  end loop;
end
$$`;

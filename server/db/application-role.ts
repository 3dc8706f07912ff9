import { createHmac } from 'node:crypto';
import pg from 'pg';

/** Name of the database in the embedded server. */
export const databaseName = 'archive';

/** Role of all connections of the application. The role owns the database and is not a superuser (decision 29). */
export const applicationRole = 'archive_app';

/** Role that owns the audit log. Migrations and the restore command use it; it has all rights of the application role. */
export const auditOwnerRole = 'archive_audit';

/** Derives the password of a role from the superuser's with HMAC-SHA-256, so that the superuser's password stays secret. */
export const rolePassword = (superuserPassword: string, role: string): string =>
  createHmac('sha256', superuserPassword).update(role).digest('base64url');

/**
 * Creates the roles and the database if they are missing, and makes the application role the owner of everything of the superuser in
 * the database. Earlier versions connected as the superuser; their tables are reassigned. This runs at each start, because running an earlier
 * version again creates tables of the superuser again.
 * @param superuser an open connection to the database `postgres`
 * @param connection connection settings of the superuser
 */
export async function prepareDatabase(
  superuser: pg.Client,
  connection: pg.ClientConfig & { password: string },
): Promise<void> {
  const role = pg.escapeIdentifier(applicationRole);
  for (const name of [applicationRole, auditOwnerRole]) {
    const { rowCount: roles } = await superuser.query('select from pg_roles where rolname = $1', [name]);
    if (roles === 0) await superuser.query(`create role ${pg.escapeIdentifier(name)}`);
    const password = pg.escapeLiteral(rolePassword(connection.password, name));
    await superuser.query(`alter role ${pg.escapeIdentifier(name)} login password ${password}`);
  }
  await superuser.query(`grant ${role} to ${pg.escapeIdentifier(auditOwnerRole)}`);

  const { rowCount: databases } = await superuser.query('select from pg_database where datname = $1', [databaseName]);
  await superuser.query(
    databases === 0
      ? `create database ${databaseName} owner ${role}`
      : `alter database ${databaseName} owner to ${role}`,
  );
  // The owner of the database can set its search path, so the superuser does not use that path.
  const client = new pg.Client({ ...connection, database: databaseName, options: '-c search_path=pg_catalog' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(reassignOwned);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Changes the owner of everything that the current user owns in this database to the application role. `reassign owned`
 * fails for the bootstrap superuser, because that role also owns the system catalogs.
 */
const reassignOwned = `
do $$
declare
  statement text;
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
    select format('alter schema %I owner to ${applicationRole}', nspname)
    from own_schemas where nspowner = current_user::regrole
    union all
    select format('alter table %s owner to ${applicationRole}', oid::regclass)
    from pg_class
    where relowner = current_user::regrole and relkind in ('r', 'p', 'v', 'm', 'S')
      and relnamespace in (select oid from own_schemas)
      and ('pg_class'::regclass, oid) not in (select classid, objid from members)
    union all
    select format('alter type %s owner to ${applicationRole}', t.oid::regtype)
    from pg_type as t left join pg_class as c on c.oid = t.typrelid
    where typowner = current_user::regrole and typnamespace in (select oid from own_schemas)
      and (typtype in ('e', 'd', 'r') or c.relkind = 'c')
      and ('pg_type'::regclass, t.oid) not in (select classid, objid from members)
    union all
    select format('alter routine %s owner to ${applicationRole}', oid::regprocedure)
    from pg_proc
    where proowner = current_user::regrole and pronamespace in (select oid from own_schemas)
      and ('pg_proc'::regclass, oid) not in (select classid, objid from members)
  loop
    execute statement;
  end loop;
end
$$`;

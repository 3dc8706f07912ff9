import pg from 'pg';
import { type DatabaseRole, prepareDatabase } from '#server/db/application-role.ts';
import { type Command, Failure } from '../support/command.ts';

export const databasePrepare: Command = {
  name: 'database prepare',
  summary: 'Create the database roles of the server and of the audit log, as a superuser.',
  description: [
    'Reads three addresses of the same PostgreSQL server. DATABASE_URL and AUDIT_DATABASE_URL name the roles, their passwords and the database. DATABASE_SUPERUSER_URL connects as a superuser, to another database; only this command needs it.',
    'The role of DATABASE_URL becomes the owner of the database, and of everything in it that belongs to the superuser. The next start of the server gives the audit log to the role of AUDIT_DATABASE_URL. The command can run again at any time.',
  ],
  examples: [''],
  run: async (_, { environment, print }) => {
    const connections = [environment['DATABASE_URL'], environment['AUDIT_DATABASE_URL']].map(toRole);
    const superuserUrl = environment['DATABASE_SUPERUSER_URL'];
    const [application, auditOwner] = connections;
    if (!application || !auditOwner || !superuserUrl)
      throw new Failure(
        'Set DATABASE_URL, AUDIT_DATABASE_URL and DATABASE_SUPERUSER_URL, each like postgres://user:password@host:5432/database.',
      );
    if (application.database !== auditOwner.database || application.name === auditOwner.name)
      throw new Failure('DATABASE_URL and AUDIT_DATABASE_URL must name the same database, and two different roles.');
    const client = new pg.Client({ connectionString: superuserUrl });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await prepareDatabase(client, describe(superuserUrl), {
        database: application.database,
        application,
        auditOwner,
      });
    } finally {
      await client.end().catch(() => undefined);
    }
    print(`${application.name} owns the database ${application.database}, and ${auditOwner.name} its audit log.`);
  },
};

function toRole(url: string | undefined): (DatabaseRole & { readonly database: string }) | null {
  if (!url) return null;
  const { user, password, database } = describe(url);
  return user && password && database ? { name: user, password, database } : null;
}

function describe(url: string) {
  const { host, port, ssl, user, database, password } = new pg.Client({ connectionString: url });
  return { host, port, ssl, ...(user && { user }), ...(database && { database }), ...(password && { password }) };
}

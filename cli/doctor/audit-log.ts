import { auditLogAccess } from '#server/db/audit-log-owner.ts';
import { findAuditHead, findBrokenRecord, hasAuditRecord } from '#server/domain/staff/audit-log.ts';
import { readLoggedAuditHead } from '#server/platform/log/operator-log.ts';
import { type Check, fail, ok, queryRows, requireArchive, warn } from './check.ts';

export const auditChecks: readonly Check[] = [
  {
    name: 'audit log',
    needs: 'tables',
    run: async (subject) => {
      const { db } = requireArchive(subject).context;
      const broken = await findBrokenRecord(db);
      if (broken !== null)
        return fail(
          `Record ${broken} of the audit log was changed, or a record before it is missing. Find out who had access to the database, and compare it with a backup.`,
        );
      const logged = readLoggedAuditHead(subject.config.dataDir);
      if (logged && !(await hasAuditRecord(db, logged)))
        return warn(
          `The audit log lacks record ${logged.records}, which the operator log mentions on ${new Date(logged.time).toISOString().slice(0, 10)}. This is expected after restoring an older backup. Otherwise, the end of the log was cut off.`,
        );
      const head = await findAuditHead(db);
      return ok(head ? `${head.records} records, unbroken. Last hash: ${head.hash}.` : 'No records yet.');
    },
  },
  {
    name: 'audit log owner',
    needs: 'tables',
    run: async (subject) => {
      const [access] = await queryRows<{ role: string; canRewrite: boolean }>(subject, auditLogAccess);
      if (access?.canRewrite === false) return ok('The server can read and append records, but not change them.');
      return warn(
        `The server connects as ${access?.role ?? 'unknown'}, which can rewrite the audit log. ${
          subject.config.databaseUrl === null
            ? 'The next start of the server gives the log its own owner.'
            : 'See docs/operations.md, “Give the audit log its own owner”.'
        }`,
      );
    },
  },
];

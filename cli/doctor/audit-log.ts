import { findAuditHead, findBrokenRecord, hasAuditRecord } from '#server/domain/staff/audit-log.ts';
import { readLoggedAuditHead } from '#server/platform/log/operator-log.ts';
import { type Check, fail, ok, requireArchive, warn } from './check.ts';

/** Checks the audit log of staff. */
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
];

import type { FastifyInstance } from 'fastify';
import { requireRecentSignIn } from '#server/domain/accounts/authentication.ts';
import type { Context } from '#server/domain/context.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffRead } from '#server/domain/staff/audit-log.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { exportFileName, requestExport } from './make-export.ts';
import { countExported, findExports, needsApproval } from './queries.ts';

export function staffExportRoutes(app: FastifyInstance, context: Context): void {
  const { db, files } = context;

  mount(app, 'GET /api/staff/exports', async (_, { staff }) => ({
    exports: await findExports(db, staff.accountId),
  }));
  mount(app, 'GET /api/staff/exports/count', async ({ query }, { staff: { accountId, scopes } }) => {
    const people = await countExported(db, scopes, query);
    return { people, needsApproval: await needsApproval(db, accountId, people) };
  });
  mount(app, 'POST /api/staff/exports', async ({ body }, { staff }) => {
    await countStaffAction(context, staff);
    const id = await requestExport(context, staff, body);
    const [made] = await findExports(db, staff.accountId, id);
    if (!made) throw new ProblemError('not-found');
    return made;
  });
  mountDownload(
    app,
    'GET /api/staff/exports/{id}/file',
    async ({ params: { id } }, { staff: { accountId, session } }) => {
      const [found] = await findExports(db, accountId, id);
      if (found?.state !== 'ready') throw new ProblemError('not-found');
      requireRecentSignIn(session);
      const content = await files.exports.open(exportFileName(id));
      if (!content) throw new ProblemError('not-found');
      await recordStaffRead(db, {
        actor: accountId,
        action: 'export-downloaded',
        subject: { kind: 'export', id },
      }).catch((error: unknown) => {
        content.destroy();
        throw error;
      });
      return {
        name: `people-${found.requestedAt.toISOString().slice(0, 'YYYY-MM-DD'.length)}-${id.slice(0, 8)}.csv`,
        content,
      };
    },
  );
}

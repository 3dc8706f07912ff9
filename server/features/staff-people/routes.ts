import type { FastifyInstance } from 'fastify';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { restoreAccount, suspendAccount } from '#server/domain/staff/moderation.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffRead } from '#server/domain/staff/audit-log.ts';
import { type Staff, findScopes } from '#server/domain/staff/guard.ts';
import { searchEntries } from '#server/domain/roster/entry-search.ts';
import { clearImpostor } from '#server/domain/membership/impostors.ts';
import { requireMayActOn } from '#server/domain/staff/people-guard.ts';
import { withdrawConfirmation } from '#server/domain/membership/withdraw-confirmation.ts';
import { mount } from '#server/domain/api/mount.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError, invalidField } from '#server/platform/http/problem.ts';
import { staffExportRoutes } from './exports/routes.ts';
import { findExportCount, findDisclosures, recordDisclosure } from './disclosures.ts';
import { findFileOfEntry } from './entry-files.ts';
import { findPersonFile } from './person-file.ts';
import { searchPeople } from './search-people.ts';

const dayMs = 24 * 60 * 60 * 1000;

export function staffPeopleRoutes(app: FastifyInstance, context: Context): void {
  staffExportRoutes(app, context);
  const { db } = context;

  mount(app, 'GET /api/staff/people', async ({ query: { after, ...filter } }, { staff }) => {
    const isForEntries = after === undefined && filter.state === undefined;
    const scopes = isForEntries ? (await findScopes(db, staff.accountId))('claims') : [];
    return {
      ...(await searchPeople(db, staff.scopes, filter, after)),
      entries: await searchEntries(db, context.institution, scopes, filter),
    };
  });
  mount(app, 'GET /api/staff/roster/entries/{id}', async ({ params: { id } }, { staff }) => {
    const file = await findFileOfEntry(context, staff, id);
    if (!file) throw new ProblemError('not-found');
    const subject = { kind: 'roster-entry', id: String(id) } as const;
    await recordStaffRead(db, { actor: staff.accountId, action: 'entry-read', subject });
    return file;
  });
  mount(app, 'GET /api/staff/people/{id}', async ({ params: { id } }, { staff }) => {
    const file = await findPersonFile(context, staff, id);
    if (!file) throw new ProblemError('not-found');
    await recordStaffRead(db, { actor: staff.accountId, action: 'person-file-read', subject: { kind: 'account', id } });
    return file;
  });
  mount(app, 'POST /api/staff/people/{id}/disclosures', async ({ params: { id }, body }, { staff }) => {
    const { reason, text = '' } = body;
    if (reason === 'other' && text === '') throw invalidField('/text', 'Enter a reason');
    await db.transaction().execute(async (tx) => {
      await requireMayActOn(tx, staff, id);
      await countStaffAction({ ...context, db: tx }, staff, id);
      await recordDisclosure(tx, {
        accountId: id,
        staffId: staff.accountId,
        reason,
        text: reason === 'other' ? text : '',
      });
    });
  });
  const moderate = async (staff: Staff, id: string, action: (tx: Db) => Promise<string | null>): Promise<void> => {
    await db.transaction().execute(async (tx) => {
      // First, so that a role that is granted at the same time is seen.
      await lockAccount(tx, id);
      await requireMayActOn(tx, staff, id);
      await countStaffAction({ ...context, db: tx }, staff, id);
      const detail = await action(tx);
      if (detail !== null) throw refused(detail);
    });
    context.listCache.clear();
  };
  mount(app, 'PUT /api/staff/people/{id}/suspension', async ({ params: { id }, body }, { staff }) => {
    const until = new Date(Date.now() + body.days * dayMs);
    await moderate(staff, id, (tx) => suspendAccount(tx, id, until, { actor: staff.accountId, text: body.text ?? '' }));
  });
  mount(app, 'DELETE /api/staff/people/{id}/suspension', async ({ params: { id } }, { staff }) =>
    moderate(staff, id, (tx) => restoreAccount(tx, id, { actor: staff.accountId })),
  );
  mount(app, 'POST /api/staff/people/{id}/confirmation-withdrawal', async ({ params: { id }, body }, { staff }) =>
    moderate(staff, id, (tx) => withdrawConfirmation(tx, id, { ...body, decidedBy: staff.accountId })),
  );
  mount(app, 'POST /api/staff/people/{id}/impostor-clearance', async ({ params: { id }, body }, { staff }) =>
    moderate(staff, id, (tx) => clearImpostor(tx, id, { ...body, decidedBy: staff.accountId })),
  );
  mount(app, 'GET /api/users/{id}/disclosures', async ({ params: { id } }, { session }) => {
    if (session.account.id !== id) throw new ProblemError('permission-denied');
    return { disclosures: await findDisclosures(db, id), exports: await findExportCount(db, id) };
  });
}

import type * as z from 'zod/mini';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { type Announcement, previewedRecipients } from '#contract/staff/announcements.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { decideApproval, requestApproval } from '#server/domain/staff/approvals.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { type Staff, isUnlimited } from '#server/domain/staff/guard.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { announcementTestJob } from './jobs.ts';
import { previewAnnouncement } from './mails.ts';
import {
  type LockedAnnouncement,
  findAnnouncement,
  findAnnouncements,
  lockAnnouncement,
  needsApproval,
} from './queries.ts';
import { countRecipients, findPreviewedNames, isOwnAnnouncement } from './recipients.ts';
import { startSending } from './send.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';

export async function announcementRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { db } = context;
  const branding = createMailBranding(context);
  const requireAnnouncement = async (id: string, staff: Staff): Promise<z.input<typeof Announcement>> => {
    const found = await findAnnouncement(db, id, staff);
    if (!found) throw new ProblemError('not-found');
    return found;
  };

  mount(app, 'GET /api/staff/announcements', async (_, { staff }) => ({
    announcements: await findAnnouncements(db, staff.scopes),
  }));
  mount(app, 'POST /api/staff/announcements', async (_, { staff }) => {
    await countStaffAction(context, staff);
    const { accountId, scopes } = staff;
    const own = scopes.some(isUnlimited) ? undefined : scopes[0];
    return db
      .insertInto('announcements')
      .values({
        created_by: accountId,
        subject: '',
        text: '',
        college: own?.college ?? null,
        department: own?.department ?? null,
        year_from: own?.yearFrom ?? null,
        year_to: own?.yearTo ?? null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  mount(app, 'GET /api/staff/announcements/{id}', async ({ params: { id } }, { staff }) =>
    requireAnnouncement(id, staff),
  );
  mount(app, 'PUT /api/staff/announcements/{id}', async ({ params: { id }, body }, { staff }) => {
    const { accountId, scopes } = staff;
    const { version, subject, text, scope } = body;
    await db.transaction().execute(async (tx) => {
      const draft = await lockDraft(tx, id, scopes);
      if (draft.version !== version) throw refused('Someone else has changed this draft. Reload the page.');
      await cancelRequest(tx, draft, accountId);
      const { rows } = await sql`
        update announcements n set subject = ${subject}, text = ${text}, college = ${scope.college},
          department = ${scope.department}, year_from = ${scope.yearFrom}, year_to = ${scope.yearTo},
          version = version + 1, updated_at = now()
        where n.id = ${id} returning ${isOwnAnnouncement(scopes)} as "isOwn"`.execute(tx);
      if (!(rows[0] as { isOwn: boolean } | undefined)?.isOwn)
        throw refused('You can write only to the part of the institution that your role is limited to.');
    });
    return requireAnnouncement(id, staff);
  });
  mount(app, 'DELETE /api/staff/announcements/{id}', async ({ params: { id } }, { staff: { accountId, scopes } }) => {
    await db.transaction().execute(async (tx) => {
      await cancelRequest(tx, await lockDraft(tx, id, scopes), accountId);
      await tx.deleteFrom('announcements').where('id', '=', id).execute();
    });
  });
  mount(app, 'GET /api/staff/announcements/{id}/preview', async ({ params: { id } }, { staff }) => {
    const { subject, text } = await requireAnnouncement(id, staff);
    const names = await findPreviewedNames(db, id, staff.scopes, previewedRecipients);
    return {
      subject,
      previews: names.map(({ id: recipientId, ...name }) => ({
        id: recipientId,
        ...previewAnnouncement(branding, { text, name }),
      })),
    };
  });
  mount(app, 'POST /api/staff/announcements/{id}/test', async ({ params: { id } }, { staff }) => {
    const { accountId, scopes } = staff;
    await countStaffAction(context, staff);
    await db.transaction().execute(async (tx) => {
      if (!(await lockDraft(tx, id, scopes)).isWritten) throw refused('Write a subject and a text first.');
      await announcementTestJob.queue(tx, { announcementId: id, accountId });
    });
  });
  mount(app, 'POST /api/staff/announcements/{id}/send', async ({ params: { id }, body: { version } }, { staff }) => {
    const { accountId, scopes } = staff;
    return db.transaction().execute(async (tx) => {
      // One after another, so that parallel ones cannot avoid an approval.
      await lockAccount(tx, accountId);
      const draft = await lockDraft(tx, id, scopes);
      if (draft.requestId !== null) throw refused('Approval has already been requested.');
      if (draft.version !== version)
        throw refused('Someone else has changed this draft. Reload the page and read the draft again.');
      if (!draft.isWritten) throw refused('Write a subject and a text first.');
      const people = await countRecipients(tx, id, scopes);
      if (people === 0) throw refused('This announcement has no recipients. Choose another part of the institution.');
      if (!(await needsApproval(tx, accountId, people))) {
        await startSending(tx, id, { accountId, scopes });
        return { result: 'sending' as const };
      }
      const payload = { announcementId: id, version };
      const requestId = await requestApproval(context, tx, {
        kind: 'announcement',
        payload,
        people,
        requestedBy: accountId,
      });
      await tx.updateTable('announcements').set({ approval_id: requestId }).where('id', '=', id).execute();
      return { result: 'requested' as const };
    });
  });
  mount(
    app,
    'POST /api/staff/announcements/{id}/stop',
    async ({ params: { id } }, { staff: { accountId, scopes } }) => {
      await db.transaction().execute(async (tx) => {
        const announcement = await lockAnnouncement(tx, id, scopes);
        if (!announcement) throw new ProblemError('not-found');
        if (announcement.state !== 'sending') throw refused('This announcement is not being sent.');
        await sql`update announcements set state = 'stopped', finished_at = now() where id = ${id}`.execute(tx);
        const { numAffectedRows } = await sql`
        update announcement_recipients set result = 'left-out', done_at = now()
        where announcement_id = ${id} and result is null`.execute(tx);
        await recordStaffAction(tx, {
          actor: accountId,
          action: 'announcement-stopped',
          subject: { kind: 'announcement', id },
          details: { leftOut: Number(numAffectedRows ?? 0) },
        });
      });
    },
  );
  await unsubscribeRoutes(app, context);
}

const refused = (detail: string) => new ProblemError('staff/refused', { detail });

async function lockDraft(tx: Db, id: string, scopes: readonly StaffScope[]): Promise<LockedAnnouncement> {
  const announcement = await lockAnnouncement(tx, id, scopes);
  if (!announcement) throw new ProblemError('not-found');
  if (announcement.state !== 'draft') throw refused('This announcement has been sent, so it cannot be changed.');
  return announcement;
}

/** Cancels the request of a changed draft. A request that was just approved fails, because the version differs. */
async function cancelRequest(tx: Db, { requestId }: LockedAnnouncement, accountId: string): Promise<void> {
  if (requestId !== null) await decideApproval(tx, requestId, 'cancelled', accountId);
}

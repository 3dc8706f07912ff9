import type * as z from 'zod/mini';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import { type Announcement, previewedRecipients } from '#contract/staff/announcements.ts';
import { sendLaterDays } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { decideApproval } from '#server/domain/staff/approvals.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { type Staff, isUnlimited } from '#server/domain/staff/guard.ts';
import { mount } from '#server/domain/api/mount.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { announcementTestJob } from './jobs.ts';
import { previewAnnouncement } from './mails.ts';
import { type LockedAnnouncement, findAnnouncement, findAnnouncements, lockAnnouncement } from './queries.ts';
import { type Author, countRecipients, findPreviewedNames, isOwnAnnouncement } from './recipients.ts';
import { send } from './send.ts';
import { unsubscribeRoutes } from './unsubscribe-routes.ts';

const dayMs = 24 * 60 * 60 * 1000;

export async function announcementRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { db } = context;
  const branding = createMailBranding(context);
  const requireAnnouncement = async (id: string, staff: Staff): Promise<z.input<typeof Announcement>> => {
    const found = await findAnnouncement(db, id, staff);
    if (!found) throw new ProblemError('not-found');
    return found;
  };

  mount(app, 'GET /api/staff/announcements', async (_, { staff }) => ({
    announcements: await findAnnouncements(db, staff),
  }));
  mount(app, 'POST /api/staff/announcements', async (_, { staff }) => {
    await countStaffAction(context, staff);
    const { accountId, scopes } = staff;
    const own = scopes.some(isUnlimited) ? undefined : (scopes.find(({ college }) => college !== null) ?? scopes[0]);
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
    const { version, subject, text, scope, replyName = '' } = body;
    await db.transaction().execute(async (tx) => {
      const draft = await lockDraft(tx, id, staff);
      if (draft.version !== version) throw refused('Someone else has changed this draft. Reload the page.');
      await cancelRequest(tx, draft, staff.accountId);
      const { rows } = await sql`
        update announcements n set subject = ${subject}, text = ${text}, college = ${scope.college},
          department = ${scope.department}, year_from = ${scope.yearFrom}, year_to = ${scope.yearTo},
          reply_name = ${replyName}, send_at = null, version = version + 1, updated_at = now()
        where n.id = ${id} returning ${isOwnAnnouncement(staff)} as "isOwn"`.execute(tx);
      if (!(rows[0] as { isOwn: boolean } | undefined)?.isOwn)
        throw refused('You can write only to the part of the institution that your role is limited to.');
    });
    return requireAnnouncement(id, staff);
  });
  mount(app, 'DELETE /api/staff/announcements/{id}', async ({ params: { id } }, { staff }) => {
    await db.transaction().execute(async (tx) => {
      await cancelRequest(tx, await lockDraft(tx, id, staff), staff.accountId);
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
    const { accountId } = staff;
    await countStaffAction(context, staff);
    await db.transaction().execute(async (tx) => {
      if (!(await lockDraft(tx, id, staff)).isWritten) throw refused('Write a subject and a text first.');
      await announcementTestJob.queue(tx, { announcementId: id, accountId });
    });
  });
  mount(app, 'POST /api/staff/announcements/{id}/send', async ({ params: { id }, body }, { staff }) => {
    const { version } = body;
    const sendAt = body.sendAt === undefined ? null : new Date(body.sendAt);
    if (sendAt && !(sendAt.getTime() > Date.now() && sendAt.getTime() < Date.now() + sendLaterDays * dayMs))
      throw refused(`Choose a time in the next ${sendLaterDays} days.`);
    return db.transaction().execute(async (tx) => {
      // One after another, so that parallel ones cannot avoid an approval.
      await lockAccount(tx, staff.accountId);
      const draft = await lockDraft(tx, id, staff);
      if (draft.requestId !== null) throw refused('Approval has already been requested.');
      if (draft.version !== version)
        throw refused('Someone else has changed this draft. Reload the page and read the draft again.');
      if (!draft.isWritten) throw refused('Write a subject and a text first.');
      const people = await countRecipients(tx, id, staff.scopes);
      if (people === 0) throw refused('This announcement has no recipients. Choose another part of the institution.');
      return { result: await send(context, tx, { announcementId: id, version, sendAt }, staff, people) };
    });
  });
  mount(app, 'POST /api/staff/announcements/{id}/stop', async ({ params: { id } }, { staff }) => {
    await db.transaction().execute(async (tx) => {
      const announcement = await lockAnnouncement(tx, id, staff);
      if (!announcement) throw new ProblemError('not-found');
      if (announcement.state === 'scheduled')
        // The new version ends the job and the approval.
        await sql`
            update announcements set state = 'draft', send_at = null, approval_id = null, version = version + 1
            where id = ${id}`.execute(tx);
      else if (announcement.state === 'sending')
        await sql`update announcements set state = 'stopped', finished_at = now() where id = ${id}`.execute(tx);
      else throw refused('This announcement is not being sent.');
      const { numAffectedRows } = await sql`
        update announcement_recipients set result = 'left-out', done_at = now()
        where announcement_id = ${id} and result is null`.execute(tx);
      await recordStaffAction(tx, {
        actor: staff.accountId,
        action: 'announcement-stopped',
        subject: { kind: 'announcement', id },
        details: { leftOut: Number(numAffectedRows ?? 0) },
      });
    });
  });
  await unsubscribeRoutes(app, context);
}

async function lockDraft(tx: Db, id: string, author: Author): Promise<LockedAnnouncement> {
  const announcement = await lockAnnouncement(tx, id, author);
  if (!announcement) throw new ProblemError('not-found');
  if (announcement.state === 'scheduled') throw refused('This announcement is scheduled. Cancel the sending first.');
  if (announcement.state !== 'draft') throw refused('This announcement has been sent, so it cannot be changed.');
  return announcement;
}

/** Cancels the request of a changed draft. A request that was just approved fails, because the version differs. */
async function cancelRequest(tx: Db, { requestId }: LockedAnnouncement, accountId: string): Promise<void> {
  if (requestId !== null) await decideApproval(tx, requestId, 'cancelled', accountId);
}

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { codeOf, mailedLinkOptions, serveMailedLink } from '#server/domain/mail/mailed-links.ts';
import {
  answerInvitation,
  countInvitable,
  findCallList,
  invitable,
  isInvitationCode,
  lockInvitations,
} from '#server/domain/roster/invitations.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { requestApproval } from '#server/domain/staff/approvals.ts';
import { recordStaffAction, toAuditCode } from '#server/domain/staff/audit-log.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { formatCsvRow } from '#server/platform/storage/csv.ts';
import { invitationPaths, linkLabels, previewInvitation } from './invitation-mails.ts';
import { needsApproval, startInviting } from './invitation-tasks.ts';

export async function invitationRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { db, institution, config } = context;
  const mail = previewInvitation(createMailBranding(context));

  mount(app, 'GET /api/staff/invitations', async ({ query }, { staff: { accountId, scopes } }) => {
    const people = await countInvitable(db, invitable(institution, scopes, query));
    return { people, needsApproval: await needsApproval(db, accountId, people), mail };
  });
  mount(app, 'POST /api/staff/invitations', async ({ body: part }, { staff }) => {
    await countStaffAction(context, staff);
    const chosen = invitable(institution, staff.scopes, part);
    return db.transaction().execute(async (tx) => {
      await lockInvitations(tx);
      const people = await countInvitable(tx, chosen);
      if (people === 0) throw refused('There is no one to invite. Choose another part of the roster.');
      if (await needsApproval(tx, staff.accountId, people)) {
        const payload = { ...part, people };
        await requestApproval(context, tx, { kind: 'invitations', payload, people, requestedBy: staff.accountId });
        return { result: 'requested' as const };
      }
      await startInviting(tx, chosen, part, { actor: staff.accountId, approval: null });
      return { result: 'sending' as const };
    });
  });
  mountDownload(app, 'GET /api/staff/classes/call-list', async ({ query }, { staff }) => {
    await countStaffAction(context, staff);
    const people = await findCallList(db, institution, staff.scopes, query);
    if (people.length === 0) throw refused('No one in this class is without an account and without a working address.');
    const { year } = query;
    const department = toAuditCode(query.department);
    const subject = { kind: 'class', id: `${year}-${department}` } as const;
    const details = { department, year, people: people.length };
    await db
      .transaction()
      .execute((tx) =>
        recordStaffAction(tx, { actor: staff.accountId, action: 'call-list-downloaded', subject, details }),
      );
    const lines = [['Name', 'Matric number', 'Phone'], ...people];
    return { name: `call-list-${department}-${year}.csv`, content: Readable.from(lines.map(formatCsvRow)) };
  });

  // The links also work when invitations are no longer allowed. They show no value of the roster, and confirm no one.
  app.get(invitationPaths.signUp, mailedLinkOptions, async (request, reply) => {
    if (request.method === 'GET') await answerInvitation(db, codeOf(request));
    return reply.header('referrer-policy', 'no-referrer').redirect(`${config.http.publicUrl}/signup`, 303);
  });
  const isValid = (code: string) => isInvitationCode(db, code);
  await serveMailedLink(app, context, {
    isValid,
    path: invitationPaths.notMe,
    button: linkLabels.notMe,
    texts: {
      asking: [
        'Is this not you?',
        'The university has your email address on its list of students and graduates. If you are not that person, tell the alumni office here.',
      ],
      done: [
        'Thank you',
        'The alumni office sees that the address is wrong, and does not invite that person at your address again.',
      ],
    },
    apply: (code) => answerInvitation(db, code, { isWrong: true }),
  });
  await serveMailedLink(app, context, {
    isValid,
    path: invitationPaths.stop,
    button: linkLabels.stop,
    texts: {
      asking: ['Get no more invitations?', 'The alumni office will never invite you again at this email address.'],
      done: [
        'You get no more invitations',
        'The alumni office will never invite you again at this email address. To remember that, the archive keeps a digest of it.',
      ],
    },
    apply: (code) => answerInvitation(db, code, { isUnwanted: true }),
  });
}

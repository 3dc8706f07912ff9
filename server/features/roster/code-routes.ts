import type { FastifyInstance } from 'fastify';
import { maxPrintedCodes } from '#contract/staff/codes.ts';
import { codesApprovalAbove } from '#contract/staff/values.ts';
import type { Context } from '#server/domain/context.ts';
import { createCodeSheet } from '#server/domain/roster/code-sheet/code-sheet.ts';
import { countPrintableEntries, countRecentCodes, issuePrintedCodes } from '#server/domain/roster/printed-codes.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { mount } from '#server/domain/api/mount.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { findApproval } from './codes-approval.ts';

export function codeRoutes(app: FastifyInstance, context: Context): void {
  const { db, institution, config } = context;

  mount(app, 'GET /api/staff/roster/codes', async ({ query: { department, year, graduates } }) => ({
    people: await countPrintableEntries(db, { department, year, onlyGraduates: graduates === 'true' }),
  }));
  mount(app, 'POST /api/staff/roster/codes', async ({ body: { graduates, ...part } }, { staff }) => {
    await countStaffAction(context, staff);
    const { accountId } = staff;
    if (!institution.acceptedEvidence.includes('printed-code'))
      throw refused('The institution does not accept printed codes. The operator can change this in institution.json.');
    const scope = { ...part, onlyGraduates: graduates };
    const result = await db.transaction().execute(async (tx) => {
      // Serializes the requests of an account, so that parallel ones cannot exceed the limit.
      await lockAccountOfSession(tx, staff.session);
      const people = await countPrintableEntries(tx, scope);
      if (people === 0)
        throw refused(
          part.entryId === undefined
            ? 'This part of the roster has no one without a confirmed account.'
            : 'This person gets no code: they have a confirmed account, or are no longer on the roster.',
        );
      if (people > maxPrintedCodes)
        throw refused(
          `Your choice has ${people} people, and one sheet has at most ${maxPrintedCodes} codes. Choose a smaller part of the roster.`,
        );
      const isOverLimit = people + (await countRecentCodes(tx, accountId)) > codesApprovalAbove;
      const approvalId = isOverLimit ? await findApproval(context, tx, scope, people, accountId) : null;
      if (isOverLimit && approvalId === null) return null;
      const { slips, expiresAt } = await issuePrintedCodes(tx, context.membershipCodes, scope, {
        printedBy: accountId,
        approvalId,
      });
      const sheet = { institution: institution.name, publicUrl: config.http.publicUrl, validUntil: expiresAt };
      return { html: createCodeSheet(slips, sheet), codes: slips.length };
    });
    if (result) return result;
    throw refused(
      `More than ${codesApprovalAbove} codes in 24 hours need an approval, which was requested. Print again with the same choice when you get the mail that it was approved.`,
    );
  });
}

import { Id } from '#contract/fields.ts';
import { approvalTexts, noticeKinds } from '#contract/staff/values.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { decideApproval, findApprovals } from '#server/domain/staff/approvals.ts';
import { allApprovedActions } from '#server/app/staff.ts';
import { type Command, Failure } from '../support/command.ts';
import { formatMinute } from '../support/format-minute.ts';
import { openOperatorLog } from '../support/operator-log.ts';
import { withArchive } from '../support/with-archive.ts';

export const approvalsList: Command = {
  name: 'approvals list',
  summary: 'List the requests of staff that wait for an approval.',
  examples: [''],
  run: async (_, { environment, print }) =>
    withArchive(environment, async ({ context: { db } }) => {
      const waiting = (await findApprovals(db)).filter(({ state }) => state === 'waiting');
      if (waiting.length === 0) print('No requests wait for an approval.');
      for (const { id, kind, payload, people, requestedBy, requestedAt, runsAt } of waiting) {
        const about = await allApprovedActions.find((action) => action.kind === kind)?.describe(db, payload);
        print(
          `${id}  ${formatMinute(requestedAt)}  ${requestedBy ?? 'a deleted account'} wants to ${approvalTexts[kind](people)}`,
        );
        if (about) print(`  About  ${about}`);
        if (runsAt)
          print(
            `  Runs   ${formatMinute(runsAt)}${noticeKinds.includes(kind) ? '' : ', because there is no second owner'}`,
          );
      }
    }),
};

export const approvalsApprove: Command = {
  name: 'approvals approve',
  summary: 'Approve a request of staff, which then runs at once. For an office with one owner.',
  requiredArguments: ['ID'],
  examples: ['6f1c0a52-9d1e-4f5b-8a31-2c7d5e0b9a64'],
  run: ({ args: [text = ''] }, { environment, print }) =>
    withArchive(environment, async ({ context: { db }, config: { dataDir } }) => {
      const id = Id.safeParse(text.toLowerCase());
      const log = openOperatorLog(dataDir);
      const result = id.success
        ? await db.transaction().execute((tx) => decideApproval(tx, id.data, 'approved', null))
        : 'missing';
      if (result !== 'decided')
        throw new Failure(`No request "${text}" waits. To list the requests that wait, run "approvals list".`);
      recordAuditEvent(log, 'request of staff approved by the operator');
      print('The request is approved. The server runs it now.');
    }),
};

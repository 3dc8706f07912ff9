import { sql } from 'kysely';
import * as z from 'zod/mini';
import { exportApprovalAbove } from '#contract/staff/values.ts';
import type { ExportColumn } from '#contract/staff/exports.ts';
import { exportFileHours } from '#contract/staff/people-values.ts';
import type { PeopleFilter } from '#contract/staff/people.ts';
import { type Db, now } from '#server/db/client.ts';
import { findActiveAddress } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { findPersons } from '#server/domain/people/people.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { type ApprovedAction, ActionRefused, requestApproval } from '#server/domain/staff/approvals.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { type Staff, findScopes } from '#server/domain/staff/guard.ts';
import { toProfile } from '#server/domain/people/visibility.ts';
import { type JobHandlers, takeFailedJobs } from '#server/platform/jobs/define-job.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { byteOrderMark } from '#server/platform/storage/csv.ts';
import { deleteExportFilesJob, exportMailJob, makeExportJob } from './jobs.ts';
import { composeExportMail } from './mails.ts';
import { countExported, findExportedIds, needsApproval } from './queries.ts';
import { formatHeadings, formatNotice, formatPerson, headingOf, inFileOrder } from './rows.ts';

const batchSize = 500;

export const exportFileName = (id: string): string => `${id}.csv`;

/** How far an export may exceed the approved number of people, who can join while the approval is pending. */
const approvedGrowth = 1.1;

export const requestExport = (
  { db, limiter }: Pick<Context, 'db' | 'limiter'>,
  { accountId, scopes }: Pick<Staff, 'accountId' | 'scopes'>,
  { filter, columns }: { filter: PeopleFilter; columns: readonly ExportColumn[] },
): Promise<string> =>
  db.transaction().execute(async (tx) => {
    // Serializes the requests of an account, so that parallel ones cannot avoid an approval.
    await lockAccount(tx, accountId);
    const people = await countExported(tx, scopes, filter);
    const isLarge = await needsApproval(tx, accountId, people);
    const { id } = await tx
      .insertInto('people_exports')
      .values({
        account_id: accountId,
        filter: JSON.stringify(filter),
        columns: inFileOrder(columns),
        people,
        state: isLarge ? 'waiting' : 'making',
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    if (isLarge) {
      const approvalId = await requestApproval({ limiter }, tx, {
        kind: 'people-export',
        payload: { exportId: id },
        people,
        requestedBy: accountId,
      });
      await tx.updateTable('people_exports').set({ approval_id: approvalId }).where('id', '=', id).execute();
    } else await makeExportJob.queue(tx, { exportId: id });
    return id;
  });

const Payload = z.object({ exportId: z.string() });

/** The job records the export in the audit log when it has made the file. */
export const approvedExport: ApprovedAction = {
  kind: 'people-export',
  right: 'export-people',
  mailsRequester: true,
  describe: async (db, payload) => {
    const { exportId } = Payload.parse(payload);
    const found = await db
      .selectFrom('people_exports')
      .select(['filter', 'columns'])
      .where('id', '=', exportId)
      .executeTakeFirst();
    if (!found) return 'An export that no longer exists';
    const { q, state, college, department, year } = found.filter;
    const chosen = [q && `“${q}”`, state, college, department, year].filter(Boolean).join(', ');
    return `${chosen || 'Everyone'}, with ${found.columns.map(headingOf).join(', ')}`;
  },
  run: async (_, tx, { payload }) => {
    const { exportId } = Payload.parse(payload);
    const { numUpdatedRows } = await tx
      .updateTable('people_exports')
      .set({ state: 'making' })
      .where('id', '=', exportId)
      .where('state', '=', 'waiting')
      .where('account_id', 'is not', null)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new ActionRefused('The account that requested this export was deleted.');
    await makeExportJob.queue(tx, { exportId });
  },
};

export function staffPeopleTasks(context: Context, mailer: Mailer): JobHandlers {
  const branding = createMailBranding(context);
  return {
    ...makeExportJob.handle(({ exportId }, { signal }) => makeExport(context, exportId, signal)),
    ...deleteExportFilesJob.handle(() => expireExports(context)),
    ...exportMailJob.handle(async ({ exportId }, attempt) => {
      const found = await context.db
        .selectFrom('people_exports')
        .select(['account_id as accountId', 'state'])
        .where('id', '=', exportId)
        .executeTakeFirst();
      const to = found?.accountId ? await findActiveAddress(context.db, found.accountId) : null;
      if (to !== null && (found?.state === 'ready' || found?.state === 'failed'))
        await mailer.send(composeExportMail(branding, to, found.state === 'ready'), attempt);
    }),
  };
}

/** Uses the rights that the requester has now. */
async function makeExport(context: Context, exportId: string, signal: AbortSignal): Promise<void> {
  const { db, files, institution } = context;
  const found = await db
    .selectFrom('people_exports')
    .select(['account_id as accountId', 'filter', 'columns', 'people', 'approval_id as approvalId'])
    .where('id', '=', exportId)
    .where('state', '=', 'making')
    .executeTakeFirst();
  if (!found) return;
  const { accountId, filter, columns, people, approvalId } = found;
  const scopes = accountId === null ? [] : (await findScopes(db, accountId))('export-people');
  if (accountId === null || scopes.length === 0)
    return saveFailure(db, exportId, 'You no longer have the right to export people.');
  const ids = await findExportedIds(db, scopes, filter, exportId);
  if (ids.length > (approvalId === null ? exportApprovalAbove : people * approvedGrowth))
    return saveFailure(db, exportId, 'More people match now than when you requested this export. Request it again.');
  const included: string[] = [];
  async function* write() {
    yield byteOrderMark + formatHeadings(columns);
    for (let at = 0; at < ids.length; at += batchSize) {
      signal.throwIfAborted();
      const batch = ids.slice(at, at + batchSize);
      const persons = new Map((await findPersons(db, batch)).map((person) => [person.id, person]));
      for (const id of batch) {
        const person = persons.get(id);
        const profile = person && toProfile(person, 'members', institution);
        if (!profile) continue;
        included.push(id);
        yield formatPerson(profile, columns);
      }
    }
    yield formatNotice(exportId, institution.name);
  }
  await files.exports.write(write(), async () => exportFileName(exportId));
  await db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('people_exports')
      .set({
        state: 'ready',
        people: included.length,
        // The filter can contain a name.
        filter: '{}',
        made_at: now,
        expires_at: sql<Date>`now() + make_interval(hours => ${exportFileHours})`,
      })
      .where('id', '=', exportId)
      .where('state', '=', 'making')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return;
    await sql`
      insert into export_counts (account_id, exports, last_at)
      select id, 1, now() from accounts where id = any(${included}::uuid[]) order by id for key share
      on conflict (account_id) do update
      set exports = export_counts.exports + 1, last_at = excluded.last_at`.execute(tx);
    await recordStaffAction(tx, {
      actor: accountId,
      action: 'people-exported',
      subject: { kind: 'export', id: exportId },
      details: { people: included.length },
    });
    await exportMailJob.queue(tx, { exportId });
  });
}

const saveFailure = (db: Db, id: string, failure: string): Promise<void> =>
  db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('people_exports')
      .set({ state: 'failed', failure, filter: '{}' })
      .where('id', '=', id)
      .where('state', '=', 'making')
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await exportMailJob.queue(tx, { exportId: id });
  });

/**
 * Deletes the files of expired exports, and the filters of those that failed or were not approved. The rows stay, to
 * identify leaked files.
 */
async function expireExports({ db, files }: Context): Promise<void> {
  for (const payload of await takeFailedJobs(db, makeExportJob)) {
    const { data } = Payload.safeParse(payload);
    if (data) await saveFailure(db, data.exportId, 'The file could not be created. Request the export again.');
  }
  await db
    .updateTable('people_exports')
    .set({ state: 'expired' })
    .where('state', '=', 'ready')
    .where('expires_at', '<=', now)
    .execute();
  await sql`
    update people_exports e set state = 'failed', filter = '{}',
      failure = case when r.state = 'failed' then r.failure else 'It was not approved.' end
    from approvals r
    where r.id = e.approval_id and e.state = 'waiting' and r.state in ('refused', 'cancelled', 'failed')`.execute(db);
  const kept = await db.selectFrom('people_exports').select('id').where('state', 'in', ['making', 'ready']).execute();
  const names = new Set(kept.map(({ id }) => exportFileName(id)));
  await files.exports.deleteOthers((name) => names.has(name));
}

import { sql } from 'kysely';
import { canonicalizeEmail } from '#contract/fields.ts';
import { type Db, now } from '#server/db/client.ts';
import { findActiveAddress } from '#server/domain/accounts/accounts.ts';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { entryNoticeMailJob, outcomeMailJob, queueOutcome } from '#server/domain/membership/membership-notices.ts';
import { findMembershipStatus } from '#server/domain/membership/membership.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { findEntryEmail, findMailableEntry } from '#server/domain/roster/claimed-entries.ts';
import { countFrequencies, countFrequenciesJob } from '#server/domain/roster/frequencies.ts';
import { findHolder } from '#server/domain/roster/links.ts';
import { reviewOpenClaimsJob } from '#server/domain/roster/import/import-steps.ts';
import { toMatricKey } from '#server/domain/roster/matric-key.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { compareClaim, reviewClaim, reviewOpenClaims } from './claims.ts';
import {
  askEntryMailJob,
  cleanUpClaimsJob,
  mailedCodeJob,
  questionMailJob,
  refusedRequestsMailJob,
  reviewClaimJob,
  vouchMailJob,
} from './jobs.ts';
import {
  composeEntryNotice,
  composeEntryQuestion,
  composeMailedCode,
  composeOutcome,
  composeQuestion,
  composeRefusedRequests,
  composeVouched,
} from './mails.ts';
import { findOpenQuestion } from './questions.ts';
import { findVouches } from './vouch-queries.ts';

const claimTtlDays = 90;

/** For documents that no one has opened. */
const documentTtlDays = 30;

const noticeTtlDays = 90;

const mailedCodeTtlHours = 24;

export function membershipTasks(context: Context, mailer: Mailer): JobHandlers {
  const { db, limiter, membershipCodes } = context;
  const branding = createMailBranding(context);
  return {
    ...outcomeMailJob.handle(async ({ accountId, ...outcome }, attempt) => {
      const to = await findActiveAddress(db, accountId);
      if (to !== null) await mailer.send(composeOutcome(branding, to, outcome), attempt);
    }),
    ...entryNoticeMailJob.handle(async ({ accountId, entryId }, attempt) => {
      const [to, own] = [await findEntryEmail(db, entryId), await findActiveAddress(db, accountId)];
      // Another account may hold the entry by now.
      if (to === null || own === null || to === canonicalizeEmail(own) || (await findHolder(db, entryId)) !== accountId)
        return;
      await mailer.send(composeEntryNotice(branding, to, await addNoticeCode(db, accountId, entryId)), attempt);
    }),
    ...vouchMailJob.handle(async ({ accountId }, attempt) => {
      const [to, status] = [await findActiveAddress(db, accountId), await findMembershipStatus(db, accountId)];
      const { length } = await findVouches(db, accountId);
      if (to !== null && status === 'unconfirmed' && length > 0)
        await mailer.send(composeVouched(branding, to, length), attempt);
    }),
    ...askEntryMailJob.handle(async ({ accountId, entryId }, attempt) => {
      const [to, own] = [await findEntryEmail(db, entryId), await findActiveAddress(db, accountId)];
      if (to === null || own === null || to === canonicalizeEmail(own)) return;
      const claim = await db
        .selectFrom('claims')
        .select(['id', 'agreeing_entry as agreeingEntry'])
        .where('account_id', '=', accountId)
        .where('state', '=', 'waiting')
        .where((is) => is.or([is('agreeing_entry', '=', entryId), is('agreeing_entry', 'is', null)]))
        .where('entry_told_at', 'is', null)
        .executeTakeFirst();
      if (!claim || (await limiter.countAttempt(db, 'entryQuestionsByRecipient', to)) > 0) return;
      await mailer.send(composeEntryQuestion(branding, to, await addNoticeCode(db, accountId, entryId)), attempt);
      await db
        .updateTable('claims')
        .set({ entry_told_at: now })
        .where('id', '=', claim.id)
        .where('agreeing_entry', 'is not distinct from', claim.agreeingEntry)
        .execute();
    }),
    ...mailedCodeJob.handle(async ({ accountId, matricNumber, dob }, attempt) => {
      const entry = await findMailableEntry(db, toMatricKey(matricNumber), dob);
      if (!entry || (await limiter.countAttempt(db, 'mailedCodesByRecipient', entry.email)) > 0) return;
      const { code, hash } = await membershipCodes.create(accountId);
      await db
        .insertInto('membership_codes')
        .values({
          code_hash: hash,
          entry_id: entry.id,
          kind: 'mailed',
          expires_at: sql<Date>`now() + make_interval(hours => ${mailedCodeTtlHours})`,
        })
        .execute();
      try {
        await mailer.send(composeMailedCode(branding, entry.email, code), attempt);
      } catch (error) {
        // The next attempt creates another code.
        await limiter.refundAttempt(db, 'mailedCodesByRecipient', entry.email);
        throw error;
      }
    }),
    ...refusedRequestsMailJob.handle(async ({ accountId, matricNumber }, attempt) => {
      const to = await findActiveAddress(db, accountId);
      if (to !== null) await mailer.send(composeRefusedRequests(branding, to, matricNumber), attempt);
    }),
    ...questionMailJob.handle(async ({ questionId }, attempt) => {
      const question = await findOpenQuestion(db, questionId);
      const to = question && (await findActiveAddress(db, question.accountId));
      if (question && to) await mailer.send(composeQuestion(branding, to, question.text), attempt);
    }),
    ...reviewClaimJob.handle(async ({ accountId, contestedEntryId }) => {
      await compareClaim(context, accountId);
      if (contestedEntryId !== null) await reviewClaim(context, accountId, contestedEntryId);
    }),
    ...reviewOpenClaimsJob.handle((_, attempt) => reviewOpenClaims(context, attempt)),
    ...countFrequenciesJob.handle(async () => countFrequencies(db)),
    ...cleanUpClaimsJob.handle(async () => {
      await expireClaims(db);
      // Also those of claims that a restore has removed.
      await sql`
        delete from claim_documents where uploaded_at < now() - make_interval(days => ${documentTtlDays})
          or claim_id not in (select id from claims where state = 'waiting')`.execute(db);
      await db.deleteFrom('membership_codes').where('expires_at', '<', now).execute();
    }),
  };
}

async function addNoticeCode(db: Db, accountId: string, entryId: number): Promise<string> {
  const { token, hash } = newToken();
  await db
    .insertInto('membership_codes')
    .values({
      code_hash: hash,
      entry_id: entryId,
      kind: 'notice',
      reports: accountId,
      expires_at: sql<Date>`now() + make_interval(days => ${noticeTtlDays})`,
    })
    .execute();
  return token;
}

async function expireClaims(db: Db): Promise<void> {
  const isOld = sql<boolean>`state = 'waiting' and updated_at < now() - make_interval(days => ${claimTtlDays})`;
  const old = await db.selectFrom('claims').select('account_id as accountId').where(isOld).execute();
  for (const { accountId } of old)
    await db.transaction().execute(async (tx) => {
      // Everything that decides claims locks the account first.
      if (!(await lockAccount(tx, accountId))) return;
      const { numUpdatedRows } = await tx
        .updateTable('claims')
        .set({ state: 'expired', decided_at: now })
        .where('account_id', '=', accountId)
        .where(isOld)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await queueOutcome(tx, accountId, 'expired');
    });
}

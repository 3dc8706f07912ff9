import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { HandlerInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { ClaimQuestion } from '#contract/membership.ts';
import { wrongDocument } from '#contract/upload-limits.ts';
import type { Db } from '#server/db/client.ts';
import type { Tables } from '#server/db/schema.ts';
import { type Session, lockAccount, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import type { Context } from '#server/domain/context.ts';
import { notify } from '#server/domain/notifications/notify.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { isClassInScope } from '#server/domain/staff/class-scope.ts';
import { type Staff } from '#server/domain/staff/guard.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError, invalidField } from '#server/platform/http/problem.ts';
import { UnreadablePicture } from '#server/platform/media/encode-picture.ts';
import { questionMailJob } from './jobs.ts';
import { claimReview } from './reviewables.ts';

type ClaimDocument = Pick<Tables['claim_documents'], 'type' | 'content'>;

export const findQuestions = (db: Db, claimId: string): Promise<z.input<typeof ClaimQuestion>[]> =>
  db
    .selectFrom('claim_questions')
    .select(['id', 'text', 'asked_at as askedAt', 'answer', 'answered_at as answeredAt'])
    .where('claim_id', '=', claimId)
    .orderBy('asked_at')
    .execute();

export const findOpenQuestion = (db: Db, id: string) =>
  db
    .selectFrom('claim_questions as q')
    .innerJoin('claims as c', 'c.id', 'q.claim_id')
    .select(['c.account_id as accountId', 'c.id as claimId', 'q.text'])
    .where('q.id', '=', id)
    .where('q.answered_at', 'is', null)
    .where('c.state', '=', 'waiting')
    .executeTakeFirst();

/**
 * Locks a pending claim that a member of staff may decide.
 * @returns the account of the claimant
 * @throws ProblemError not-found, permission-denied if they are the claimant or have vouched
 */
async function lockClaim({ institution }: Context, tx: Db, staff: Staff, claimId: string): Promise<string> {
  const claim = await tx.selectFrom('claims').select('account_id').where('id', '=', claimId).executeTakeFirst();
  // Everything that decides claims locks the account first.
  if (!claim || !(await lockAccount(tx, claim.account_id))) throw new ProblemError('not-found');
  const { rows } = await sql`
    select from (${claimReview.items('open')}) as x
    where x.id = ${claimId} and ${isClassInScope(institution, staff.scopes, 'x')}`.execute(tx);
  if (rows.length === 0) throw new ProblemError('not-found');
  if (claim.account_id === staff.accountId || (await claimReview.isProposer?.(tx, claimId, staff.accountId)))
    throw new ProblemError('permission-denied', { detail: 'Another member of staff must decide this claim.' });
  return claim.account_id;
}

export async function askClaimant(context: Context, staff: Staff, claimId: string, text: string): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    const accountId = await lockClaim(context, tx, staff, claimId);
    await countStaffAction({ ...context, db: tx }, staff, accountId);
    const question = await tx
      .insertInto('claim_questions')
      .values({ claim_id: claimId, text })
      .onConflict((conflict) => conflict.column('claim_id').where('answered_at', 'is', null).doNothing())
      .returning('id as questionId')
      .executeTakeFirst();
    if (!question) throw refused('The last question is not answered yet.');
    await context.limiter.requireAttempt(tx, 'claimQuestionsByClaimant', accountId);
    await notify(tx, accountId, 'membership-question');
    await questionMailJob.queue(tx, question);
    const subject = { kind: 'claim', id: claimId } as const;
    await recordStaffAction(tx, { actor: staff.accountId, action: 'claim-question-asked', subject });
  });
}

/** Deletes the document in the transaction of the record in the audit log. */
export async function openDocument(context: Context, staff: Staff, claimId: string): Promise<ClaimDocument> {
  return context.db.transaction().execute(async (tx) => {
    await lockClaim(context, tx, staff, claimId);
    const { rows } = await sql<ClaimDocument>`
      delete from claim_documents where claim_id = ${claimId} returning type, content`.execute(tx);
    const [document] = rows;
    if (!document) throw refused('The document was opened or deleted.');
    const subject = { kind: 'claim', id: claimId } as const;
    await recordStaffAction(tx, { actor: staff.accountId, action: 'claim-document-opened', subject });
    return document;
  });
}

/**
 * Stores the answer of a claimant. Its document replaces that of an earlier answer.
 * @throws ProblemError validation-failed, not-found if it is not the open question about their pending claim
 */
export async function answerQuestion(
  { db, media, limiter }: Context,
  session: Session,
  { question, text = '', document: data = '' }: HandlerInput<Endpoints['POST /api/membership/answers']>['body'],
): Promise<void> {
  await limiter.requireAttempt(db, 'claimAnswersByAccount', session.account.id);
  if (text === '' && data === '') throw invalidField('/text', 'Write an answer, or choose a photo or a PDF.');
  const document = data === '' ? null : await readDocument(media, Buffer.from(data, 'base64'));
  await db.transaction().execute(async (tx) => {
    const { id: accountId } = await lockAccountOfSession(tx, session);
    const open = await findOpenQuestion(tx, question);
    if (open?.accountId !== accountId) throw new ProblemError('not-found');
    await sql`update claim_questions set answer = ${text}, answered_at = now() where id = ${question}`.execute(tx);
    if (document)
      await sql`
        insert into claim_documents (claim_id, type, content) values (${open.claimId}, ${document.type}, ${document.content})
        on conflict (claim_id) do update
        set (type, content, uploaded_at) = (excluded.type, excluded.content, now())`.execute(tx);
  });
}

/** A PDF is known by its signature and stored as it is. Photos are encoded again, without their metadata. */
async function readDocument(media: Context['media'], content: Buffer): Promise<ClaimDocument> {
  if (content.subarray(0, 5).equals(Buffer.from('%PDF-'))) return { type: 'pdf', content };
  const picture = await media.encodeDocument(content).catch((error: unknown) => {
    throw error instanceof UnreadablePicture ? invalidField('/document', wrongDocument) : error;
  });
  return { type: 'webp', content: picture };
}

import type * as z from 'zod/mini';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Claimant } from '#contract/membership.ts';
import { requiredVouches } from '#contract/vouching.ts';
import { replaceTerms } from '#contract/words.ts';
import { findMembershipStatus } from '#server/domain/membership/membership.ts';
import { type Db, now } from '#server/db/client.ts';
import type { Identity } from '#server/db/schema.ts';
import { requireMember } from '#server/domain/accounts/authentication.ts';
import { openClaim } from '#server/domain/membership/claims.ts';
import { confirmAccount } from '#server/domain/membership/confirmations.ts';
import type { Context } from '#server/domain/context.ts';
import { findPerson } from '#server/domain/people/people.ts';
import { toPictureForVoucher } from '#server/domain/people/visibility.ts';
import { vouchLinkDays } from '#server/domain/membership/vouch-rules.ts';
import { type Session, lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { requireFreshSession } from '#server/domain/staff/guard.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { vouchMailJob } from './jobs.ts';
import { type FoundClaimant, findLinkOwner, findVouches, isVouchingAvailable } from './vouch-queries.ts';

/** See decisions 64 and 78. */
export function vouchRoutes(app: FastifyInstance, context: Context): void {
  const { db, config } = context;

  mount(app, 'POST /api/membership/vouch-link', async (_, { session }) => {
    return db.transaction().execute(async (tx) => {
      await requireClaimant(tx, session);
      const { token, hash } = newToken();
      const { expiresAt } = await tx
        .insertInto('vouch_links')
        .values({
          account_id: session.account.id,
          code_hash: hash,
          expires_at: sql<Date>`now() + make_interval(days => ${sql.lit(vouchLinkDays)})`,
        })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet((eb) => ({
            code_hash: eb.ref('excluded.code_hash'),
            created_at: now,
            expires_at: eb.ref('excluded.expires_at'),
          })),
        )
        .returning('expires_at as expiresAt')
        .executeTakeFirstOrThrow();
      return { url: `${config.http.publicUrl}/vouch/${token}`, expiresAt };
    });
  });

  mount(app, 'GET /api/membership/vouch-links/{code}', async ({ params }, { session }) => {
    const { id, lastName: _, ...claimant } = await requireLinkOwner(context, session, params.code);
    const person = claimant.refusal === null ? await findPerson(db, id) : null;
    return { ...claimant, thumb: person && toPictureForVoucher(person) };
  });

  mount(app, 'PUT /api/membership/vouch-links/{code}', async ({ params, body }, { session }) =>
    saveAnswer(context, session, params.code, body),
  );
}

/**
 * @throws ProblemError permission-denied for accounts that staff have decided about, and in classes with too few
 *   vouchers
 */
async function requireClaimant(tx: Db, session: Session): Promise<void> {
  const { id } = await lockAccountOfSession(tx, session);
  const status = await findMembershipStatus(tx, id);
  if (status === 'confirmed') throw createRefusal('You are already confirmed.');
  if (status !== 'unconfirmed') throw createRefusal('The alumni office decides about your membership.');
  if (!(await isVouchingAvailable(tx, id)))
    throw createRefusal('Too few members of your class can vouch for you. Choose another way to be confirmed.');
}

/**
 * Only members see someone else's link, so that a link reveals nothing to an unconfirmed account.
 * @throws ProblemError not-found, permission-denied
 */
async function requireLinkOwner(context: Limited, session: Session, code: string): Promise<FoundClaimant> {
  const claimant = await findLinkOwner(context, session.account.id, code);
  if (claimant?.id !== session.account.id) requireMember(session);
  if (!claimant) throw new ProblemError('not-found');
  return claimant;
}

type Limited = Pick<Context, 'db' | 'limiter'>;

/**
 * Saves a member's answer about the name and the class that the member saw. The second “yes” that counts confirms the
 * claimant, or the one “yes” of the class representative, which is a decision of staff.
 * @throws ProblemError not-found, permission-denied, auth/unauthenticated, profile-changed if the claimant has another
 *   name or class now, auth/requires-recent-login and staff/too-many-requests for the “yes” of a class representative
 */
async function saveAnswer(
  context: Context,
  session: Session,
  code: string,
  { answer, version }: { answer: NonNullable<z.input<typeof Claimant>['answer']>; version: string },
): Promise<void> {
  const voucherId = session.account.id;
  const { limiter } = context;
  await context.db.transaction().execute(async (tx) => {
    const { id: claimantId } = await requireLinkOwner({ db: tx, limiter }, session, code);
    // Locked in the order of their ids, so that parallel answers do not deadlock. The voucher is locked because of the
    // limit, and the claimant so that the later of two parallel vouches sees the earlier one.
    await sql`select from accounts where id in (${voucherId}, ${claimantId}) order by id for no key update`.execute(tx);
    await lockAccountOfSession(tx, session);
    const claimant = await requireLinkOwner({ db: tx, limiter }, session, code);
    if (claimant.refusal !== null)
      throw createRefusal(replaceTerms(refusalTexts[claimant.refusal], context.institution.words));
    if (claimant.version !== version)
      throw new ProblemError('profile-changed', {
        detail: 'The name or class has changed since you opened this page. Please look again.',
      });
    const isDecision = answer === 'yes' && claimant.isRepresentative;
    if (isDecision) {
      await requireFreshSession(tx, session);
      await countStaffAction({ ...context, db: tx }, { accountId: voucherId }, claimantId);
    }
    if (answer === 'yes' && claimant.answer !== 'yes') await limiter.countAttempt(tx, 'vouchesByAccount', voucherId);
    const { firstName, lastName, department, yearGraduated } = claimant;
    const seen: Identity = { firstName, lastName, department, yearGraduated };
    await tx
      .insertInto('vouches')
      .values({ claimant_id: claimantId, voucher_id: voucherId, answer, seen: JSON.stringify(seen) })
      .onConflict((conflict) =>
        conflict.columns(['claimant_id', 'voucher_id']).doUpdateSet((eb) => ({
          answer: eb.ref('excluded.answer'),
          seen: eb.ref('excluded.seen'),
          created_at: now,
          ended_at: null,
        })),
      )
      .execute();
    if (answer !== 'yes') return;
    const vouches = isDecision ? [seen] : await findVouches(tx, claimantId);
    if (isDecision || vouches.length >= requiredVouches)
      await confirmByVouches(tx, context, claimantId, {
        seen: vouches,
        representativeId: isDecision ? voucherId : null,
      });
    // The first answer only, so that changing it does not send mail after mail.
    else if (claimant.answer === null) await vouchMailJob.queue(tx, { accountId: claimantId });
  });
}

/**
 * Confirms a claimant by vouches. Vouches never link a roster entry: the members know the person, not the entry.
 * @param of what each voucher saw, and the class representative who decides, for the audit log (null: members confirm
 *   together)
 */
async function confirmByVouches(
  tx: Db,
  context: Context,
  accountId: string,
  { seen, representativeId }: { seen: readonly Identity[]; representativeId: string | null },
): Promise<void> {
  const contested = await tx
    .selectFrom('evidence')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'peer-vouch')
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  // The evidence was not enough, and staff decide.
  if (contested) return;
  const { id: claimId } = await openClaim(tx, accountId, null);
  const outcome = await confirmAccount(tx, context, { accountId, entryId: null, kind: 'peer-vouch', seen });
  if (representativeId !== null)
    await recordStaffAction(tx, {
      actor: representativeId,
      action: 'claim-confirmed',
      subject: { kind: 'claim', id: claimId },
      details: { outcome, evidence: 'peer-vouch' },
    });
}

const refusalTexts: Record<NonNullable<z.input<typeof Claimant>['refusal']>, string> = {
  own: 'You cannot vouch for yourself.',
  decided: 'It is already decided whether this person is a member.',
  suspended: 'You cannot vouch at the moment, because you vouched for someone who is not who they claimed to be.',
  'not-confirmed': 'Only members who are confirmed in another way than by vouches can vouch.',
  'too-new': 'You can vouch seven days after your own confirmation.',
  'other-class':
    'You can vouch for people of your department who graduated in your year, the year before or the year after.',
  limit: 'You have vouched for five people in the last 30 days. Try again later.',
};

const createRefusal = (detail: string) => new ProblemError('permission-denied', { detail });

import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Claimant } from '#contract/membership.ts';
import type { Db } from '../../db/client.ts';
import { requireMember, requireVerified } from '../../domain/authentication.ts';
import { openClaim } from '../../domain/claims.ts';
import { confirmAccount, lockEntryAndHolder } from '../../domain/confirmations.ts';
import type { Context } from '../../domain/context.ts';
import { requiresConfirmation } from '../../domain/membership.ts';
import { notify } from '../../domain/notify.ts';
import { agreesExactly } from '../../domain/roster/agreement.ts';
import { findClaimedEntries } from '../../domain/roster/claimed-entries.ts';
import { toMatricKey } from '../../domain/roster/matric-key.ts';
import { vouchRequestDays } from '../../domain/vouch-rules.ts';
import { type Session, lockAccountOfSession } from '../../domain/sessions.ts';
import { countStaffAct } from '../../domain/staff/act-limits.ts';
import { recordStaffAction } from '../../domain/staff/audit-log.ts';
import { requireFreshSession } from '../../domain/staff/guard.ts';
import { newToken } from '../../platform/crypto/tokens.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import {
  type FoundClaimant,
  findAsker,
  findAskers,
  findLinkOwner,
  hasEnoughVouches,
  isOnClassPage,
  isVouchingAvailable,
  saveRequest,
} from './vouch-queries.ts';

/** Adds the routes with which people ask members of their class to vouch for them, and members answer (decision 64). */
export function vouchRoutes(app: FastifyInstance, context: Context): void {
  const { db, config } = context;

  mount(app, 'POST /api/membership/vouch-link', async (_, exchange) => {
    const session = await requireVerifiedForVouching(context, exchange);
    return db.transaction().execute(async (tx) => {
      await requireClaimant(tx, session);
      const { token, hash } = newToken();
      const { expires_at: expiresAt } = await tx
        .insertInto('vouch_links')
        .values({
          account_id: session.account.id,
          code_hash: hash,
          expires_at: sql<Date>`now() + make_interval(days => ${sql.lit(vouchRequestDays)})`,
        })
        .onConflict((conflict) =>
          conflict.column('account_id').doUpdateSet((eb) => ({
            code_hash: eb.ref('excluded.code_hash'),
            created_at: sql<Date>`now()`,
            expires_at: eb.ref('excluded.expires_at'),
          })),
        )
        .returning('expires_at')
        .executeTakeFirstOrThrow();
      return { url: `${config.http.publicUrl}/vouch/${token}`, expiresAt: expiresAt.toISOString() };
    });
  });

  mount(app, 'PUT /api/membership/vouch-requests/{id}', async ({ params }, exchange) =>
    askToVouch(context, await requireVerifiedForVouching(context, exchange), params.id),
  );

  mount(app, 'GET /api/membership/vouch-requests', async (_, exchange) => {
    const { account } = requireMember(await requireVerifiedForVouching(context, exchange));
    return { claimants: [...(await findAskers(db, account.id))] };
  });

  mount(app, 'PUT /api/membership/vouches/{id}', async ({ params, body }, exchange) => {
    const session = requireMember(await requireVerifiedForVouching(context, exchange));
    await saveAnswer(context, session, body, (tx) => findAsker(tx, session.account.id, params.id));
  });

  mount(app, 'GET /api/membership/vouch-links/{code}', async ({ params }, exchange) =>
    requireLinkOwner(db, await requireVerifiedForVouching(context, exchange), params.code),
  );

  mount(app, 'PUT /api/membership/vouch-links/{code}', async ({ params, body }, exchange) => {
    const session = await requireVerifiedForVouching(context, exchange);
    await saveAnswer(context, session, body, (tx) => requireLinkOwner(tx, session, params.code));
  });
}

/**
 * Requires a verified address, in an archive that requires confirmation and accepts vouches.
 * @throws ProblemError not-found, auth/unauthenticated, auth/unverified-email
 */
async function requireVerifiedForVouching(
  { db, institution, authentication }: Pick<Context, 'db' | 'institution' | 'authentication'>,
  { request, reply }: Exchange,
): Promise<Session> {
  if (!institution.acceptedEvidence.includes('peer-vouch') || !(await requiresConfirmation(db)))
    throw new ProblemError('not-found');
  return requireVerified(await authentication.authenticate(request, reply));
}

/**
 * Locks the account of a person who asks for vouches.
 * @throws ProblemError permission-denied without a profile, for accounts that staff have decided about, and in classes with too few vouchers
 */
async function requireClaimant(tx: Db, session: Session): Promise<void> {
  const { id, displayName } = await lockAccountOfSession(tx, session);
  if (displayName === null) throw createRefusal('Complete your profile first.');
  const { membership_status: status } = await tx
    .selectFrom('accounts')
    .select('membership_status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (status === 'confirmed') throw createRefusal('You are already confirmed.');
  if (status !== 'unconfirmed') throw createRefusal('The alumni office decides about your membership.');
  if (!(await isVouchingAvailable(tx, id)))
    throw createRefusal('Too few members of your class can vouch for you. Choose another way to be confirmed.');
}

/**
 * Asks a person whom guests see in the claimant's class. A block hides the request; the response is the same. Only new requests count toward
 * the rate limit.
 * @throws ProblemError not-found, permission-denied, auth/unauthenticated, auth/too-many-requests
 */
async function askToVouch({ db, limiter }: Context, session: Session, voucherId: string): Promise<void> {
  const { id } = session.account;
  await db.transaction().execute(async (tx) => {
    await requireClaimant(tx, session);
    if (!(await isOnClassPage(tx, id, voucherId))) throw new ProblemError('not-found');
    const { isNew, isBlocked } = await saveRequest(tx, id, voucherId);
    if (!isNew) return;
    await limiter.requireAttempt(tx, 'vouchRequestsByAccount', id);
    // Without a name: the notification stays when the claimant deletes the account, or is blocked.
    if (!isBlocked) await notify(tx, voucherId, 'vouch-asked');
  });
}

/**
 * Returns the person behind a vouch link. Only members see someone else's, so that a link reveals nothing to an unconfirmed account.
 * @throws ProblemError not-found, permission-denied
 */
async function requireLinkOwner(db: Db, session: Session, code: string): Promise<FoundClaimant> {
  const claimant = await findLinkOwner(db, session.account.id, code);
  if (claimant?.id !== session.account.id) requireMember(session);
  if (!claimant) throw new ProblemError('not-found');
  return claimant;
}

/**
 * Saves a member's answer about the name and the class that the member saw. The second “yes” that counts confirms the claimant, or the one
 * “yes” of the class representative, which is a decision of staff.
 * @param find reads the claimant again in the transaction
 * @throws ProblemError not-found, permission-denied, auth/unauthenticated, profile-changed if the claimant has another name or class now,
 *   auth/requires-recent-login and staff/too-many-requests for the “yes” of a class representative
 */
async function saveAnswer(
  context: Context,
  session: Session,
  { answer, version }: { readonly answer: NonNullable<Claimant['answer']>; readonly version: string },
  find: (tx: Db) => Promise<FoundClaimant | null>,
): Promise<void> {
  const voucherId = session.account.id;
  await context.db.transaction().execute(async (tx) => {
    const claimantId = (await find(tx))?.id;
    if (claimantId === undefined) throw new ProblemError('not-found');
    // Locked in the order of their ids, so that parallel answers do not deadlock. The voucher is locked because of the limit, and the
    // claimant so that the later of two parallel vouches sees the earlier one.
    await sql`select from accounts where id in (${voucherId}, ${claimantId}) order by id for no key update`.execute(tx);
    await lockAccountOfSession(tx, session);
    const claimant = await find(tx);
    if (!claimant) throw new ProblemError('not-found');
    if (claimant.refusal !== null) throw createRefusal(refusalTexts[claimant.refusal]);
    if (claimant.version !== version)
      throw new ProblemError('profile-changed', {
        detail: 'The name or class has changed since you opened this page. Please look again.',
      });
    const isDecision = answer === 'yes' && claimant.isRepresentative;
    if (isDecision) {
      await requireFreshSession(tx, session);
      await countStaffAct({ ...context, db: tx }, { accountId: voucherId }, claimantId);
    }
    await tx
      .insertInto('vouches')
      .values({ claimant_id: claimantId, voucher_id: voucherId, answer })
      .onConflict((conflict) =>
        conflict
          .columns(['claimant_id', 'voucher_id'])
          .doUpdateSet((eb) => ({ answer: eb.ref('excluded.answer'), created_at: sql<Date>`now()` })),
      )
      .execute();
    if (isDecision || (answer === 'yes' && (await hasEnoughVouches(tx, claimantId))))
      await confirmByVouches(tx, context, claimantId, isDecision ? voucherId : null);
  });
}

/**
 * Confirms a claimant by vouches, as the roster entry with the claim's matric number, birth date and names. Without such an entry, the account
 * is confirmed as a person who is not on the roster. If only staff may confirm the entry, or another account holds it, the claim waits.
 * @param representativeId the class representative who decides, for the audit log. Null: members confirm together
 */
async function confirmByVouches(
  tx: Db,
  context: Context,
  accountId: string,
  representativeId: string | null,
): Promise<void> {
  const contested = await tx
    .selectFrom('evidence')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'peer-vouch')
    .where('withdrawn_at', 'is', null)
    .executeTakeFirst();
  // Another account holds the entry, and staff decide.
  if (contested) return;
  const { id: claimId, typed } = await openClaim(tx, accountId, null);
  const claim = { matricKey: toMatricKey(typed.matricNumber), birthDate: typed.dob, email: '' };
  const entry = (await findClaimedEntries(tx, claim)).find((found) => agreesExactly(typed, found));
  if (entry?.needsStaff) return;
  // An undo of the last import may have deleted the entry in the meantime.
  const entryId = entry && (await lockEntryAndHolder(tx, entry.id)) ? entry.id : null;
  const outcome = await confirmAccount(tx, context, { accountId, entryId, kind: 'peer-vouch' });
  if (representativeId !== null)
    await recordStaffAction(tx, {
      actor: representativeId,
      action: 'claim-confirmed',
      subject: { kind: 'claim', id: claimId },
      details: { outcome, evidence: 'peer-vouch' },
    });
}

const refusalTexts: Record<NonNullable<Claimant['refusal']>, string> = {
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

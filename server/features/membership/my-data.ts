import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { type CollectMyData, jsonFile } from '#server/domain/my-data.ts';
import { findLinkedEntries } from '#server/domain/roster/links.ts';
import { findOwnEntries } from '#server/domain/roster/own-entry.ts';

/**
 * Collects what confirmed membership stores about a user, with the roster entry that the user is confirmed as. Leaves
 * out what would reveal whether another person is on the roster or confirmed (evidence and disputes about entries of
 * other accounts), and who answered a request to vouch. Adds no file for a user without such data.
 */
export const collectMembershipData: CollectMyData = async ({ db }, { account: { id } }) => {
  const account = await db
    .selectFrom('accounts')
    .select([
      'membership_status as status',
      'confirmed_at as confirmedAt',
      'confirm_by as confirmBy',
      'vouching_suspended_until as vouchingSuspendedUntil',
    ])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const [rosterEntry = null, ...furtherRosterEntries] = await findOwnEntries(db, id);
  const parts = {
    rosterEntry,
    furtherRosterEntries,
    evidence: await findOwnEvidence(db, id),
    confirmedIdentities: await findIdentities(db, id),
    changes: await findChanges(db, id),
    claims: await findClaims(db, id),
    attempts: await findAttempts(db, id),
    disputes: await findDisputes(db, id, account.status === 'disputed'),
    vouchLink: await findVouchLink(db, id),
    ...(await findVouches(db, id)),
    staffRoles: await findStaffRoles(db, id),
  };
  if (Object.values(parts).every((part) => (Array.isArray(part) ? part.length === 0 : part === null))) return {};
  const membership = { ...account, ...parts };
  return {
    about: {
      'membership.json':
        'How the university confirms your membership: your claims, questions about them and your answers, the evidence, as whom you are confirmed, whom you vouched for, and the entry in the university’s list of students and graduates that you are confirmed as.',
    },
    files: (async function* list() {
      yield jsonFile('membership.json', membership);
    })(),
  };
};

async function findOwnEvidence(db: Db, accountId: string) {
  const linked = await findLinkedEntries(db, accountId);
  return db
    .selectFrom('evidence')
    .select(['kind', 'assurance', 'detail', 'created_at as createdAt', 'withdrawn_at as withdrawnAt'])
    .where('account_id', '=', accountId)
    .where((eb) => eb.or([eb('entry_id', 'is', null), eb('entry_id', '=', sql<number>`any(${linked}::bigint[])`)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

const findIdentities = (db: Db, accountId: string) =>
  db
    .selectFrom('confirmed_identities')
    .select([
      'first_name as firstName',
      'last_name as lastName',
      'department',
      'year_graduated as yearGraduated',
      'matric_number as matricNumber',
      'seen',
      'confirmed_at as confirmedAt',
      'ended_at as endedAt',
    ])
    .where('account_id', '=', accountId)
    .orderBy('confirmed_at')
    .orderBy('id')
    .execute();

const findChanges = (db: Db, accountId: string) =>
  db
    .selectFrom('identity_changes')
    .select([
      'first_name as firstName',
      'last_name as lastName',
      'matric_number as matricNumber',
      'department',
      'year_graduated as yearGraduated',
      'created_at as createdAt',
      'closed_at as closedAt',
      'outcome',
      'answer',
    ])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

const findClaims = (db: Db, accountId: string) =>
  db
    .selectFrom('claims')
    .select([
      'state',
      'typed',
      'reason',
      'created_at as createdAt',
      'updated_at as updatedAt',
      'decided_at as decidedAt',
      sql`array(select json_build_object('text', q.text, 'askedAt', q.asked_at, 'answer', q.answer, 'answeredAt', q.answered_at)
        from claim_questions q where q.claim_id = claims.id order by q.asked_at)`.as('questions'),
    ])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

const findAttempts = (db: Db, accountId: string) =>
  db
    .selectFrom('claim_attempts')
    .select(['kind', 'typed', 'created_at as createdAt'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** @param isDisputed whether the user already knows that another person claims the same entry */
const findDisputes = (db: Db, accountId: string, isDisputed: boolean) =>
  db
    .selectFrom('disputes')
    .select(['text', 'created_at as createdAt', 'closed_at as closedAt', 'outcome'])
    .where('claimant_id', '=', accountId)
    .$if(!isDisputed, (query) => query.where('text', '<>', ''))
    .orderBy('created_at')
    .orderBy('id')
    .execute();

async function findVouchLink(db: Db, accountId: string) {
  const link = await db
    .selectFrom('vouch_links')
    .select(['created_at as createdAt', 'expires_at as expiresAt'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return link ?? null;
}

async function findVouches(db: Db, accountId: string) {
  const vouchesGiven = await db
    .selectFrom('vouches')
    .select(['claimant_id as person', 'answer', 'seen', 'created_at as createdAt', 'ended_at as endedAt'])
    .where('voucher_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  // As in the settings: only the answers with yes, without their authors.
  const vouchesReceived = await db
    .selectFrom('vouches')
    .select('created_at as createdAt')
    .where('claimant_id', '=', accountId)
    .where('answer', '=', 'yes')
    .orderBy('created_at')
    .execute();
  return { vouchesGiven, vouchesReceived };
}

const findStaffRoles = (db: Db, accountId: string) =>
  db
    .selectFrom('staff_roles')
    .select([
      'role',
      'college',
      'department',
      'year_from as yearFrom',
      'year_to as yearTo',
      'granted_at as grantedAt',
      'ends_at as endsAt',
    ])
    .where('account_id', '=', accountId)
    .orderBy('role')
    .execute();

import type { Db } from '../../db/client.ts';
import { type CollectMyData, jsonFile } from '../../domain/my-data.ts';
import { findLinkedEntry } from '../../domain/roster/links.ts';
import { findOwnEntry } from '../../domain/roster/own-entry.ts';

/**
 * Collects what confirmed membership stores about a user, with the roster entry that the user is confirmed as. Leaves out what would reveal
 * whether another person is on the roster or confirmed (evidence and disputes about entries of other accounts), and who answered a request
 * to vouch. Adds no file for a user without such data.
 */
export const collectMembershipData: CollectMyData = async ({ db }, { account: { id } }) => {
  const { status, confirmedAt, confirmBy, vouchingSuspendedUntil } = await db
    .selectFrom('accounts')
    .select([
      'membership_status as status',
      'confirmed_at as confirmedAt',
      'confirm_by as confirmBy',
      'vouching_suspended_until as vouchingSuspendedUntil',
    ])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const parts = {
    rosterEntry: await findOwnEntry(db, id),
    evidence: await findOwnEvidence(db, id),
    confirmedIdentities: await findIdentities(db, id),
    changes: await findChanges(db, id),
    claims: await findClaims(db, id),
    attempts: await findAttempts(db, id),
    disputes: await findDisputes(db, id, status === 'disputed'),
    vouchLink: await findVouchLink(db, id),
    ...(await findVouches(db, id)),
    staffRoles: await findStaffRoles(db, id),
  };
  if (Object.values(parts).every((part) => (Array.isArray(part) ? part.length === 0 : part === null))) return {};
  const membership = {
    status,
    confirmedAt: confirmedAt,
    confirmBy: confirmBy,
    vouchingSuspendedUntil: vouchingSuspendedUntil,
    ...parts,
  };
  return {
    about: {
      'membership.json':
        'How the university confirms your membership: your claims, the evidence, as whom you are confirmed, whom you vouched for, and the entry in the university’s list of students and graduates that you are confirmed as.',
    },
    files: (async function* list() {
      yield jsonFile('membership.json', membership);
    })(),
  };
};

async function findOwnEvidence(db: Db, accountId: string) {
  const linked = await findLinkedEntry(db, accountId);
  const evidence = await db
    .selectFrom('evidence')
    .select(['kind', 'assurance', 'detail', 'entry_id', 'created_at', 'withdrawn_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return evidence
    .filter(({ entry_id }) => entry_id === null || entry_id === linked)
    .map(({ kind, assurance, detail, created_at, withdrawn_at }) => ({
      kind,
      assurance,
      detail,
      createdAt: created_at,
      withdrawnAt: withdrawn_at,
    }));
}

async function findIdentities(db: Db, accountId: string) {
  const identities = await db
    .selectFrom('confirmed_identities')
    .select([
      'first_name',
      'last_name',
      'department',
      'year_graduated',
      'matric_number',
      'seen',
      'confirmed_at',
      'ended_at',
    ])
    .where('account_id', '=', accountId)
    .orderBy('confirmed_at')
    .orderBy('id')
    .execute();
  return identities.map(
    ({ confirmed_at, ended_at, first_name, last_name, year_graduated, matric_number, ...rest }) => ({
      firstName: first_name,
      lastName: last_name,
      yearGraduated: year_graduated,
      matricNumber: matric_number,
      ...rest,
      confirmedAt: confirmed_at,
      endedAt: ended_at,
    }),
  );
}

async function findChanges(db: Db, accountId: string) {
  const changes = await db
    .selectFrom('identity_changes')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return changes.map((change) => ({
    firstName: change.first_name,
    lastName: change.last_name,
    matricNumber: change.matric_number,
    department: change.department,
    yearGraduated: change.year_graduated,
    createdAt: change.created_at,
    closedAt: change.closed_at,
    outcome: change.outcome,
    answer: change.answer,
  }));
}

async function findClaims(db: Db, accountId: string) {
  const claims = await db
    .selectFrom('claims')
    .select(['state', 'typed', 'reason', 'created_at', 'updated_at', 'decided_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return claims.map(({ state, typed, reason, created_at, updated_at, decided_at }) => ({
    state,
    typed,
    reason,
    createdAt: created_at,
    updatedAt: updated_at,
    decidedAt: decided_at,
  }));
}

/** Every claim as it was sent, and every request for a mailed code. */
async function findAttempts(db: Db, accountId: string) {
  const attempts = await db
    .selectFrom('claim_attempts')
    .select(['kind', 'typed', 'created_at'])
    .where('account_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return attempts.map(({ created_at, ...attempt }) => ({ ...attempt, createdAt: created_at }));
}

/** @param isDisputed whether the user already knows that another person claims the same entry */
async function findDisputes(db: Db, accountId: string, isDisputed: boolean) {
  let query = db
    .selectFrom('disputes')
    .select(['text', 'created_at', 'closed_at', 'outcome'])
    .where('claimant_id', '=', accountId)
    .orderBy('created_at')
    .orderBy('id');
  if (!isDisputed) query = query.where('text', '<>', '');
  return (await query.execute()).map(({ text, created_at, closed_at, outcome }) => ({
    text,
    createdAt: created_at,
    closedAt: closed_at,
    outcome,
  }));
}

async function findVouchLink(db: Db, accountId: string) {
  const link = await db
    .selectFrom('vouch_links')
    .select(['created_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return link ? { createdAt: link.created_at, expiresAt: link.expires_at } : null;
}

async function findVouches(db: Db, accountId: string) {
  const given = await db
    .selectFrom('vouches')
    .select(['claimant_id', 'answer', 'seen', 'created_at', 'ended_at'])
    .where('voucher_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  // As in the settings: only the answers with yes, without their authors.
  const received = await db
    .selectFrom('vouches')
    .select('created_at')
    .where('claimant_id', '=', accountId)
    .where('answer', '=', 'yes')
    .orderBy('created_at')
    .execute();
  return {
    vouchesGiven: given.map(({ claimant_id, answer, seen, created_at, ended_at }) => ({
      person: claimant_id,
      answer,
      seen,
      createdAt: created_at,
      endedAt: ended_at,
    })),
    vouchesReceived: received.map(({ created_at }) => ({ createdAt: created_at })),
  };
}

async function findStaffRoles(db: Db, accountId: string) {
  const roles = await db
    .selectFrom('staff_roles')
    .select(['role', 'college', 'department', 'year_from', 'year_to', 'granted_at', 'ends_at'])
    .where('account_id', '=', accountId)
    .orderBy('role')
    .execute();
  return roles.map(({ granted_at, ends_at, year_from: yearFrom, year_to: yearTo, ...role }) => ({
    ...role,
    yearFrom,
    yearTo,
    grantedAt: granted_at,
    endsAt: ends_at,
  }));
}

import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Membership } from '#contract/membership.ts';
import type { Db } from '../../db/client.ts';
import { findLinkedEntry } from '../../domain/roster/links.ts';
import type { Session } from '../../domain/sessions.ts';
import { findVouching } from './vouch-queries.ts';

/** Returns everything that a user sees about their own membership. */
export async function findMembership(
  db: Db,
  { acceptedEvidence }: Pick<Institution, 'acceptedEvidence'>,
  { account: { id }, user }: Pick<Session, 'account' | 'user'>,
): Promise<z.input<typeof Membership>> {
  const { status = 'unconfirmed', confirmBy = null, isWaiting = false } = user.membership ?? {};
  const { confirmed_at: confirmedAt } = await db
    .selectFrom('accounts')
    .select('confirmed_at')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const claim = await db
    .selectFrom('claims')
    .select(['state', 'created_at', 'typed', 'reason'])
    .where('account_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const profile = await db
    .selectFrom('profiles')
    .select(['matric_number', 'dob'])
    .where('account_id', '=', id)
    .executeTakeFirst();
  return {
    status,
    confirmBy,
    isWaiting,
    confirmedAt,
    accepts: acceptedEvidence,
    evidence: status === 'confirmed' ? await findCurrentEvidence(db, id) : [],
    claim: claim
      ? {
          state: claim.state,
          createdAt: claim.created_at,
          matricNumber: claim.typed.matricNumber,
          dob: claim.typed.dob,
          reason: claim.reason,
        }
      : null,
    suggested: profile ? { matricNumber: profile.matric_number, dob: profile.dob } : null,
    usualDays: await findUsualDays(db),
    vouching: await findVouching(db, id, acceptedEvidence.includes('peer-vouch')),
  };
}

/** Returns the evidence that confirms an account. Leaves out evidence for the entry of another account, which would reveal that it is claimed. */
async function findCurrentEvidence(db: Db, accountId: string): Promise<z.input<typeof Membership>['evidence']> {
  const rows = await db
    .selectFrom('evidence')
    .select(['id', 'kind', 'assurance', 'created_at', 'entry_id'])
    .where('account_id', '=', accountId)
    .where('withdrawn_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const linked = await findLinkedEntry(db, accountId);
  return rows
    .filter(({ entry_id }) => entry_id === null || entry_id === linked)
    .map(({ id, kind, assurance, created_at }) => ({ id, kind, assurance, createdAt: created_at }));
}

/** Number of decisions from which their median says something about the next one. */
const minDecisions = 5;

/** Returns the median number of days until staff decide, over the last 90 days. Null with fewer than five decisions. */
export async function findUsualDays(db: Db): Promise<number | null> {
  const { rows } = await sql<{ decisions: number; days: number | null }>`
    select count(*)::int as decisions,
      ceil(percentile_cont(0.5) within group (order by extract(epoch from decided_at - created_at)) / 86400)::int as days
    from claims where decided_by in ('operator', 'staff') and decided_at > now() - interval '90 days'
      -- Without claims that a withdrawal opened and closed at once, because they would distort the median.
      and decided_at > created_at`.execute(db);
  const { decisions = 0, days = null } = rows[0] ?? {};
  return decisions < minDecisions || days === null ? null : Math.max(1, days);
}

import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Membership } from '#contract/membership.ts';
import type { Db } from '#server/db/client.ts';
import { findLinkedEntries } from '#server/domain/roster/links.ts';
import type { Session } from '#server/domain/accounts/sessions.ts';
import { findQuestions } from './questions.ts';
import { findVouching } from './vouch-queries.ts';

export async function findMembership(
  db: Db,
  { acceptedEvidence }: Pick<Institution, 'acceptedEvidence'>,
  { account: { id }, user }: Pick<Session, 'account' | 'user'>,
): Promise<z.input<typeof Membership>> {
  const { status = 'unconfirmed', confirmBy = null, isWaiting = false } = user.membership ?? {};
  const { confirmedAt } = await db
    .selectFrom('accounts')
    .select('confirmed_at as confirmedAt')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const claim = await db
    .selectFrom('claims')
    .select((eb) => [
      'id',
      'state',
      'created_at as createdAt',
      eb.ref('typed', '->>').key('matricNumber').as('matricNumber'),
      eb.ref('typed', '->>').key('dob').as('dob'),
      'reason',
    ])
    .where('account_id', '=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const suggested = await db
    .selectFrom('profiles')
    .select(['matric_number as matricNumber', 'dob'])
    .where('account_id', '=', id)
    .executeTakeFirst();
  return {
    status,
    confirmBy,
    isWaiting,
    confirmedAt,
    accepts: acceptedEvidence,
    evidence: status === 'confirmed' ? await findCurrentEvidence(db, id) : [],
    claim: claim ?? null,
    question: claim?.state === 'waiting' ? ((await findQuestions(db, claim.id)).at(-1) ?? null) : null,
    suggested: suggested ?? null,
    usualDays: await findUsualDays(db),
    vouching: await findVouching(db, id, acceptedEvidence.includes('peer-vouch')),
  };
}

/** Leaves out evidence for the entry of another account, which would reveal that the entry is claimed. */
async function findCurrentEvidence(db: Db, accountId: string): Promise<z.input<typeof Membership>['evidence']> {
  const linked = await findLinkedEntries(db, accountId);
  return db
    .selectFrom('evidence')
    .select(['id', 'kind', 'assurance', 'created_at as createdAt'])
    .where('account_id', '=', accountId)
    .where('withdrawn_at', 'is', null)
    .where((eb) => eb.or([eb('entry_id', 'is', null), eb('entry_id', '=', sql<number>`any(${linked}::bigint[])`)]))
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

const minDecisions = 5;

/** Returns the median number of days until staff decide, over the last 90 days. Null with fewer than five decisions. */
async function findUsualDays(db: Db): Promise<number | null> {
  const { rows } = await sql<{ decisions: number; days: number | null }>`
    select count(*)::int as decisions,
      ceil(percentile_cont(0.5) within group (order by extract(epoch from decided_at - created_at)) / 86400)::int as days
    from claims where decided_by in ('operator', 'staff') and decided_at > now() - interval '90 days'
      -- Without claims that a withdrawal opened and closed at once, because they would distort the median.
      and decided_at > created_at`.execute(db);
  const { decisions = 0, days = null } = rows[0] ?? {};
  return decisions < minDecisions || days === null ? null : Math.max(1, days);
}

import { sql } from 'kysely';
import type { AcceptedTerms } from '#contract/identity.ts';
import { termsVersion } from '#contract/terms.ts';
import type { Db } from '../../../db/client.ts';
import { ProblemError } from '../../../platform/http/problem.ts';

/** A page that was opened before the terms changed has shown the old ones. @throws ProblemError terms-changed */
export function requireCurrentTerms(terms: string): void {
  if (terms !== termsVersion) throw new ProblemError('terms-changed');
}

/** The columns of an account that say what was just accepted. */
export const toAcceptedColumns = (terms: string) => ({ terms_version: terms, terms_accepted_at: sql<Date>`now()` });

/** Which terms somebody has accepted last. */
export async function findAcceptedTerms(db: Db, accountId: string): Promise<AcceptedTerms> {
  const row = await db
    .selectFrom('accounts')
    .select(['terms_version', 'terms_accepted_at'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return { version: row?.terms_version ?? null, acceptedAt: row?.terms_accepted_at?.toISOString() ?? null };
}

/**
 * Notes that somebody accepts the terms that count now. Whoever has done so already did it then, and not again.
 * @throws ProblemError terms-changed
 */
export async function acceptTerms(db: Db, accountId: string, terms: string): Promise<AcceptedTerms> {
  requireCurrentTerms(terms);
  await db
    .updateTable('accounts')
    .set(toAcceptedColumns(terms))
    .where('id', '=', accountId)
    .where('terms_version', 'is distinct from', terms)
    .execute();
  return findAcceptedTerms(db, accountId);
}

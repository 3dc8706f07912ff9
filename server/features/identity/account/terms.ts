import type * as z from 'zod/mini';
import type { AcceptedTerms } from '#contract/identity.ts';
import { termsVersion } from '#contract/terms.ts';
import { type Db, now } from '#server/db/client.ts';
import { ProblemError } from '#server/platform/http/problem.ts';

/**
 * Requires the current version of the terms. A page that was opened before the terms changed sends an old version.
 * @throws ProblemError terms-changed
 */
export function requireCurrentTerms(terms: string): void {
  if (terms !== termsVersion) throw new ProblemError('terms-changed');
}

export const toAcceptedColumns = (terms: string) => ({ terms_version: terms, terms_accepted_at: now });

export async function findAcceptedTerms(db: Db, accountId: string): Promise<z.input<typeof AcceptedTerms>> {
  const accepted = await db
    .selectFrom('accounts')
    .select(['terms_version as version', 'terms_accepted_at as acceptedAt'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  return accepted ?? { version: null, acceptedAt: null };
}

/**
 * Records that an account accepts the current terms. If the account has already accepted them, the first time stays.
 * @throws ProblemError terms-changed
 */
export async function acceptTerms(db: Db, accountId: string, terms: string): Promise<z.input<typeof AcceptedTerms>> {
  requireCurrentTerms(terms);
  await db
    .updateTable('accounts')
    .set(toAcceptedColumns(terms))
    .where('id', '=', accountId)
    .where('terms_version', 'is distinct from', terms)
    .execute();
  return findAcceptedTerms(db, accountId);
}

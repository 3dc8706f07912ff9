import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  /** Last and first name; null until the onboarding is complete. */
  readonly displayName: string | null;
  readonly awaitsConfirmation: boolean;
}

/**
 * Returns whether an account is a member: verified, onboarded (specification, section 6), and confirmed if the
 * institution requires it.
 */
export const isMember = ({ emailVerified, displayName, awaitsConfirmation }: Account): boolean =>
  emailVerified && displayName !== null && !awaitsConfirmation;

/**
 * Time in which a person counts as a new member, as a PostgreSQL interval. The interval starts when the profile is
 * created, which can be days after the sign-up.
 */
export const newMemberInterval = '24 hours';

/** Returns the verified address of an active account, or null. */
export async function findActiveAddress(db: Db, accountId: string): Promise<string | null> {
  const row = await db
    .selectFrom('accounts')
    .select('email')
    .where('id', '=', accountId)
    .where('email_verified', '=', true)
    .where('is_active', '=', true)
    .executeTakeFirst();
  return row?.email ?? null;
}

/**
 * Returns whether an address belongs to an inactive account: disabled, or with a pending deletion.
 * @param email canonical
 */
export async function isInactive(db: Db, email: string): Promise<boolean> {
  const row = await db
    .selectFrom('accounts')
    .select('id')
    .where('email', '=', email)
    .where('is_active', '=', false)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns whether another account has this address or can still recover it.
 * @param email canonical
 * @param accountId the account to ignore; null for a new account
 */
export async function isAddressTaken(db: Db, email: string, accountId: string | null): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select exists (select from accounts where email = ${email} and id is distinct from ${accountId})
        or exists (select from held_addresses
                   where email = ${email} and until > now()
                     and account_id is distinct from ${accountId}) as taken`.execute(db);
  return rows[0]?.taken ?? false;
}

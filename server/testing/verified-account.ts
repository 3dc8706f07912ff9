import type pg from 'pg';
import { termsVersion } from '#contract/terms.ts';
import type { HashCost } from '#server/platform/crypto/password-hashing.ts';
import { newToken } from '#server/platform/crypto/tokens.ts';

/** Lowest cost of argon2id: hashing at the real cost would take most of the test time. */
export const lowestCost: HashCost = { memory: 8, passes: 1, parallelism: 1 };

interface NewAccount {
  readonly email: string;
  readonly passwordHash: string;
  readonly userAgent: string;
}

/**
 * Creates what sign-up and verification leave, in one statement. Their requests and the email would take a third of the
 * test time.
 * @returns the id of the account, and the values of the cookies of its browser by their names
 */
export async function insertVerifiedAccount(
  pool: pg.Pool,
  { email, passwordHash, userAgent }: NewAccount,
): Promise<{ uid: string; cookies: { sid: string; device: string } }> {
  const [session, device] = [newToken(), newToken()];
  const { rows } = await pool.query<{ uid: string }>(
    `with account as (
       insert into accounts (email, email_verified, password_hash, verify_by, terms_version, terms_accepted_at)
       values ($1, true, $2, now() + interval '7 days', $3, now()) returning id),
     session as (
       insert into sessions (token_hash, account_id, user_agent, expires_at)
       select $4, id, $5, now() + interval '30 days' from account),
     device as (insert into known_devices (account_id, token_hash) select id, $6 from account),
     notification as (insert into notifications (account_id, kind, detail) select id, 'email-verified', $1 from account)
     select id as uid from account`,
    [email, passwordHash, termsVersion, session.hash, userAgent, device.hash],
  );
  const [row] = rows;
  if (!row) throw new Error('The account was not created.');
  return { uid: row.uid, cookies: { sid: session.token, device: device.token } };
}

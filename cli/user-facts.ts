import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { HiddenReason } from '#server/db/schema.ts';

/** What the archive has of an account, for its operator: never a hash, a token or a secret. */
export interface UserFacts {
  readonly email: string;
  readonly isVerified: boolean;
  readonly createdAt: Date;
  /** When the account was last used, to the day. */
  readonly seenAt: Date;
  /** Why the profile is hidden from others until its owner signs in. */
  readonly hiddenUntilSignIn: HiddenReason | null;
  readonly disabledAt: Date | null;
  /** When the account will be deleted at its owner's request; null otherwise. */
  readonly deletesAt: Date | null;
  /** Since when mail does not get to their address. */
  readonly mailFailedAt: Date | null;
  /** Their name; null while there is no profile. */
  readonly profile: string | null;
  readonly isHidden: boolean | null;
  /** Whether something waits for them in the onboarding that was brought over from elsewhere. */
  readonly isUnfinished: boolean;
  readonly termsVersion: string | null;
  /** How the password is kept, by the name of the method. */
  readonly password: 'argon2id' | 'firebase-scrypt' | 'none';
  readonly sessions: number;
  readonly authenticator: boolean;
  readonly passkeys: number;
  readonly recoveryCodes: number;
  readonly photos: number;
  readonly messages: number;
  readonly notices: number;
  readonly jobs: number;
  /** Of those, the ones that have failed for the last time. */
  readonly failedJobs: number;
}

/** @throws Error when there is no such account any more */
export async function factsOf(db: Db, accountId: string): Promise<UserFacts> {
  const { rows } = await sql<UserFacts>`
    select a.email, a.email_verified as "isVerified", a.created_at as "createdAt", a.disabled_at as "disabledAt", a.deletes_at as "deletesAt",
      case when a.mail_failed_to = a.email then a.mail_failed_at end as "mailFailedAt",
      a.last_seen_at as "seenAt", a.hidden_until_sign_in as "hiddenUntilSignIn",
      a.display_name as profile, p.is_hidden as "isHidden", a.terms_version as "termsVersion",
      exists (select from unfinished_profiles where account_id = a.id) as "isUnfinished",
      case when a.password_hash like '$argon2id$%' then 'argon2id'
        when a.password_hash like '$firebase-scrypt$%' then 'firebase-scrypt' else 'none' end as password,
      (select count(*) from sessions where account_id = a.id and expires_at > now())::int as sessions,
      exists (select from authenticators where account_id = a.id and confirmed_at is not null) as authenticator,
      (select count(*) from passkeys where account_id = a.id)::int as passkeys,
      (select count(*) from recovery_codes where account_id = a.id)::int as "recoveryCodes",
      (select count(*) from photos where account_id = a.id)::int as photos,
      (select count(*) from messages where sender_id = a.id or recipient_id = a.id)::int as messages,
      (select count(*) from notifications where account_id = a.id)::int as notices,
      jobs.all as jobs, jobs.failed as "failedJobs"
    from accounts a left join profiles p on p.account_id = a.id
    cross join lateral (
      select count(*)::int as all, count(*) filter (where attempts >= max_attempts)::int as failed
      from graphile_worker._private_jobs
      where payload::jsonb @> any(array[
        jsonb_build_object('accountId', a.id), jsonb_build_object('senderId', a.id),
        jsonb_build_object('recipientId', a.id), jsonb_build_object('email', a.email)])
    ) as jobs
    where a.id = ${accountId}`.execute(db);
  const [facts] = rows;
  if (!facts) throw new Error('The account was deleted while this command looked at it.');
  return facts;
}

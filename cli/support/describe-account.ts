import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import { findJobsAbout } from '#server/platform/jobs/define-job.ts';

type Fact = string | number | boolean | Date | null;

/**
 * Returns lines with a label and a value that describe an account, without hashes, tokens and secrets. Labels without a
 * value are omitted.
 */
export async function describeAccount(db: Db, accountId: string): Promise<string[]> {
  const { rows } = await sql<Record<string, Fact>>`
    select a.email as "Address", a.email_verified as "Verified", a.id as "ID",
      case when a.mail_failed_to = a.email then a.mail_failed_at end as "Mail fails since",
      a.disabled_at as "Disabled", a.suspended_until as "Suspended until", a.deletes_at as "Deletion pending until",
      a.created_at as "Created", a.last_seen_at as "Last seen",
      coalesce(a.display_name, case when exists (select from unfinished_profiles where account_id = a.id)
        then 'imported, incomplete' else 'none' end) as "Profile",
      case when a.hidden_until_sign_in is not null then 'until the next sign-in: ' || a.hidden_until_sign_in
        when a.profile_hidden_at is not null then 'by staff' when p.is_hidden then 'by the owner' end as "Hidden",
      case when (select mode = 'confirmed' from membership_mode) then a.membership_status end as "Membership",
      a.confirm_by as "Confirm by",
      coalesce(a.terms_version, 'not accepted yet') as "Terms",
      case when a.password_hash like '$argon2id$%' then 'set'
        when a.password_hash like '$firebase-scrypt$%' then 'imported from Firebase'
        else 'none, must be reset by email' end as "Password",
      exists (select from authenticators where account_id = a.id and confirmed_at is not null) as "Authenticator",
      (select count(*) from passkeys where account_id = a.id)::int as "Passkeys",
      (select count(*) from recovery_codes where account_id = a.id)::int as "Recovery codes",
      (select count(*) from sessions where account_id = a.id and expires_at > now())::int as "Sessions",
      (select count(*) from photos where account_id = a.id)::int as "Photos",
      (select count(*) from messages where sender_id = a.id or recipient_id = a.id)::int as "Messages",
      (select count(*) from notifications where account_id = a.id)::int as "Notifications"
    from accounts a left join profiles p on p.account_id = a.id
    where a.id = ${accountId}`.execute(db);
  const [facts] = rows;
  if (!facts) return [];
  const jobs = await findJobsAbout(db, [
    { accountId },
    { senderId: accountId },
    { recipientId: accountId },
    { email: facts['Address'] },
  ]);
  const failed = jobs.filter(({ state }) => state === 'failed').length;
  return Object.entries({ ...facts, 'Pending jobs': jobs.length, 'Failed jobs': failed })
    .filter(([, fact]) => fact !== null)
    .map(([label, fact]) => `${label.padEnd(22)}  ${formatFact(fact)}`);
}

function formatFact(fact: Fact): string {
  if (fact instanceof Date) return fact.toISOString();
  if (typeof fact === 'boolean') return fact ? 'yes' : 'no';
  return String(fact);
}

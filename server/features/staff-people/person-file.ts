import type * as z from 'zod/mini';
import { sql } from 'kysely';
import type { PersonFile } from '#contract/staff/people.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { Context } from '#server/domain/context.ts';
import { findPerson } from '#server/domain/people/people.ts';
import { findLinkedEntries } from '#server/domain/roster/links.ts';
import { findStaffEntries } from '#server/domain/roster/staff-entries.ts';
import { isInScope, findScopes, profileScopeColumns } from '#server/domain/staff/guard.ts';
import { findProtectionFrom } from '#server/domain/staff/people-guard.ts';
import { toProfile } from '#server/domain/people/visibility.ts';
import type { Db } from '#server/db/client.ts';
import { findOpenDisclosure } from './disclosures.ts';
import { foundColumns } from './person-states.ts';

type File = z.input<typeof PersonFile>;

/** The row contains what the caller may not see. */
interface FileRow
  extends
    Omit<File, 'profile' | 'hidden' | 'protection' | 'membership' | 'account'>,
    Pick<NonNullable<File['membership']>, 'status' | 'confirmedAt'>,
    Omit<NonNullable<File['account']>, 'hasPendingEmail'> {
  readonly hiddenEmail: string;
  readonly pendingEmail: string | null;
  readonly impostorSince: Date | null;
  readonly impostorDecidedBy: string | null;
  readonly maySeeClaims: boolean;
  readonly maySeeReports: boolean;
  readonly maySeeAccount: boolean;
}

/**
 * Returns the file of a person in scope, or null. What the person hides is included only while the caller has an open
 * disclosure.
 * @param scopes where the caller has the right `people`
 */
export async function findPersonFile(
  { db, institution }: Pick<Context, 'db' | 'institution'>,
  { accountId: callerId, scopes }: { accountId: string; scopes: readonly StaffScope[] },
  id: string,
): Promise<z.input<typeof PersonFile> | null> {
  const scopesOf = await findScopes(db, callerId);
  const columns = profileScopeColumns('p');
  const { rows } = await sql<FileRow>`
    select ${foundColumns}, a.email as "hiddenEmail", a.pending_email as "pendingEmail", a.last_seen_at as "lastSeenAt",
      a.membership_status as status, a.confirmed_at as "confirmedAt", a.impostor_since as "impostorSince",
      (select coalesce(display_name, email) from accounts where id = a.impostor_decided_by) as "impostorDecidedBy",
      a.mail_failed_at as "mailFailedAt",
      a.deletes_at as "deletesAt", a.disabled_at is not null as "isDisabled", a.suspended_until as "suspendedUntil",
      exists (select from authenticators f where f.account_id = a.id and f.confirmed_at is not null)
        or exists (select from passkeys k where k.account_id = a.id) as "hasSecondFactor",
      (select count(*)::int from sessions s where s.account_id = a.id and s.expires_at > now()) as sessions,
      array(select distinct role from staff_roles r where r.account_id = a.id and (r.ends_at is null or r.ends_at > now())
        order by role) as roles,
      (select count(*)::int from disclosures l where l.account_id = a.id) as disclosures,
      (select json_build_object('open', count(*) filter (where closed_at is null), 'closed', count(closed_at))
        from reports r where r.subject_id = a.id and r.is_confirmed) as reports,
      ${isInScope(scopesOf('claims'), columns)} as "maySeeClaims",
      ${isInScope(scopesOf('reports'), columns)} as "maySeeReports",
      ${isInScope(scopesOf('change-accounts'), columns)} as "maySeeAccount"
    from accounts a left join profiles p on p.account_id = a.id
    where a.id = ${id} and ${isInScope(scopes, columns)}`.execute(db);
  const [row] = rows;
  if (!row) return null;
  const person = await findPerson(db, id);
  const until = await findOpenDisclosure(db, id, callerId);
  const { hiddenEmail, pendingEmail, status, confirmedAt, impostorSince, impostorDecidedBy, ...seen } = row;
  const { sessions, hasSecondFactor, mailFailedAt, deletesAt, maySeeClaims, maySeeReports, maySeeAccount, ...file } =
    seen;
  return {
    ...file,
    profile: person && toProfile(person, 'members', institution),
    hidden: until && {
      profile: person && toProfile(person, 'me', institution),
      email: hiddenEmail,
      pendingEmail,
      until,
    },
    protection: id === callerId ? 'yourself' : await findProtectionFrom(db, callerId, id),
    membership: maySeeClaims
      ? {
          status,
          confirmedAt,
          impostor: impostorSince && { since: impostorSince, decidedBy: impostorDecidedBy },
          entries: await findEntries(db, institution, scopesOf('claims'), id),
          evidence: await findEvidence(db, id),
        }
      : null,
    account: maySeeAccount
      ? { sessions, hasSecondFactor, mailFailedAt, hasPendingEmail: pendingEmail !== null, deletesAt }
      : null,
    reports: maySeeReports ? file.reports : null,
  };
}

async function findEntries(db: Db, institution: Context['institution'], scopes: readonly StaffScope[], id: string) {
  const entries = await findStaffEntries(db, institution, scopes, await findLinkedEntries(db, id));
  return entries.map(({ entry: { id: entryId, matricNumber, firstName, lastName } }) => ({
    id: entryId,
    matricNumber,
    name: `${lastName} ${firstName}`.trim(),
  }));
}

const findEvidence = (db: Db, id: string) =>
  db
    .selectFrom('evidence')
    .select((eb) => [
      'kind',
      'created_at as createdAt',
      eb('withdrawn_at', 'is not', null).$castTo<boolean>().as('isWithdrawn'),
    ])
    .where('account_id', '=', id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

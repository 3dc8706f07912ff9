import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import { type StaffScope, wholeInstitution } from '#contract/staff/scope.ts';
import { invitationPauseDays, maxInvitations } from '#contract/staff/values.ts';
import type { Db } from '#server/db/client.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';
import { isVisible } from './corrections.ts';

/*
 * SQL about an entry `e` and the mails `i` to its address, also those that an earlier entry with this address got.
 */

type Colleges = Pick<Institution, 'colleges'>;

/** A department, or one class of it. */
export interface InvitedPart {
  readonly department: string;
  readonly year?: number | null | undefined;
}

const toAddressHash = (email: unknown) => sql`sha256(convert_to(${email}, 'UTF8'))`;
const addressHash = toAddressHash(sql.ref('e.email'));

const hasMail = (condition: RawBuilder<SqlBool>) =>
  sql<SqlBool>`exists (select from roster_invitations i where i.address_hash = ${addressHash} and ${condition})`;

/** Whether the person of the entry has an account: a linked one, or one with the address of the entry. */
export const hasAccount = sql<SqlBool>`(exists (select from roster_links k where k.entry_id = e.id)
  or exists (select from accounts o where o.email = e.email and o.email_verified))`;

/** Whether the mailbox said that it is not that of this person. */
export const hasWrongAddress = hasMail(sql`i.is_wrong and i.entry_id = e.id`);

const hasUsableAddress = sql<SqlBool>`(e.email is not null and not ${hasWrongAddress}
  and not ${hasMail(sql`i.failed_at is not null`)})`;

/** Whether the person objected, also at an earlier address of the entry, unless that is the mailbox of someone else. */
const hasObjection = sql<SqlBool>`(${hasMail(sql`i.is_unwanted`)}
  or exists (select from roster_invitations i where i.entry_id = e.id and i.is_unwanted and not i.is_wrong))`;

/** Whether staff within the scopes may contact the person: without an account, and not against their wish. */
const isContactable = (institution: Colleges, scopes: readonly StaffScope[]) =>
  sql<SqlBool>`(${isVisible(institution, scopes)} and e.member_left_at is null and not ${hasAccount}
    and not ${hasObjection})`;

/** @param own the mail about to be sent, which does not count */
const isInvitable = (institution: Colleges, scopes: readonly StaffScope[], own: string | null = null) =>
  sql<SqlBool>`(${isContactable(institution, scopes)} and ${hasUsableAddress} and not ${hasMail(sql`
      i.id is distinct from ${own}::uuid and coalesce(i.sent_at, i.created_at) > now() - make_interval(days => ${invitationPauseDays})`)}
    and (select count(*) from roster_invitations i
      where i.address_hash = ${addressHash} and i.id is distinct from ${own}::uuid) < ${maxInvitations})`;

/** The entries of a part that staff can invite now, for the part of a query after `from`. */
export const invitable = (
  institution: Colleges,
  scopes: readonly StaffScope[],
  { department, year = null }: InvitedPart,
): RawBuilder<unknown> =>
  sql`roster_entries e where e.department = ${department}
    and (${year}::int is null or e.year_graduated = ${year}::int) and ${isInvitable(institution, scopes)}`;

/** Counts addresses: two entries with one address get one mail. */
export async function countInvitable(db: Db, chosen: ReturnType<typeof invitable>): Promise<number> {
  const { rows } = await sql<{ people: number }>`
    select count(distinct e.email)::int as people from ${chosen}`.execute(db);
  return rows[0]?.people ?? 0;
}

/** Serializes the requests of all staff, so that no address is invited twice at the same time. */
export const lockInvitations = (tx: Db) =>
  sql`select pg_advisory_xact_lock(hashtext('roster_invitations'))`.execute(tx);

/** Stores a mail for each address. @returns their ids, and how many other mails of the last week are waiting */
export async function addInvitations(
  tx: Db,
  chosen: ReturnType<typeof invitable>,
): Promise<{ ids: string[]; waiting: number }> {
  const { rows } = await sql<{ id: string; waiting: number }>`
    insert into roster_invitations (entry_id, address_hash)
    select distinct on (e.email) e.id, ${addressHash} from ${chosen} order by e.email, e.id
    returning id, (select count(*)::int from roster_invitations i
      where i.sent_at is null and i.failed_at is null
        and i.created_at > now() - interval '7 days') as waiting`.execute(tx);
  return { ids: rows.map(({ id }) => id), waiting: rows[0]?.waiting ?? 0 };
}

/** Returns the address and a new code for a mail that has not been sent, or null if it must not be sent any more. */
export async function prepareInvitation(
  db: Db,
  institution: Colleges,
  id: string,
): Promise<{ email: string; code: string; isReminder: boolean } | null> {
  const { token: code, hash } = newToken();
  const { rows } = await sql<{ email: string; isReminder: boolean }>`
    update roster_invitations n set code_hashes = array_append(n.code_hashes, ${hash}::bytea) from roster_entries e
    where n.id = ${id} and n.sent_at is null and e.id = n.entry_id and n.address_hash = ${addressHash}
      and ${isInvitable(institution, [wholeInstitution], id)}
    returning e.email, ${hasMail(sql`i.sent_at is not null`)} as "isReminder"`.execute(db);
  return rows[0] ? { ...rows[0], code } : null;
}

/** Records that a mail was sent, or deletes it, unless its mailbox or mail server has answered an earlier attempt. */
export const finishInvitation = (db: Db, id: string, isSent: boolean) =>
  (isSent
    ? sql`update roster_invitations set sent_at = now() where id = ${id}`
    : sql`delete from roster_invitations where id = ${id} and coalesce(sent_at, opened_at, failed_at) is null`
  ).execute(db);

const hasCode = (code: string) => sql`code_hashes @> array[${hashToken(code)}::bytea]`;

export const isInvitationCode = async (db: Db, code: string): Promise<boolean> =>
  (await sql`select from roster_invitations where ${hasCode(code)}`.execute(db)).rows.length > 0;

/** Records what the mailbox answers. @returns false for a code that is not valid */
export async function answerInvitation(
  db: Db,
  code: string,
  { isWrong = false, isUnwanted = false } = {},
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update roster_invitations set opened_at = coalesce(opened_at, now()), is_wrong = is_wrong or ${isWrong},
      is_unwanted = is_unwanted or ${isUnwanted}
    where ${hasCode(code)}`.execute(db);
  return Number(numAffectedRows) > 0;
}

/** Records that mail to an address fails, so that it is not invited again. @returns the number of mails */
export async function failInvitationsTo(db: Db, email: string, isDryRun = false): Promise<number> {
  const { rows } = isDryRun
    ? await sql`select from roster_invitations where address_hash = ${toAddressHash(email)}`.execute(db)
    : await sql`
        update roster_invitations set failed_at = now()
        where address_hash = ${toAddressHash(email)} returning id`.execute(db);
  return rows.length;
}

/** Returns the people of a class within the scopes who have no account and no address that works, by name. */
export async function findCallList(
  db: Db,
  institution: Colleges,
  scopes: readonly StaffScope[],
  { department, year }: InvitedPart,
): Promise<[name: string, matricNumber: string, phone: string][]> {
  const { rows } = await sql<{ name: string; matricNumber: string; phone: string }>`
    select concat_ws(' ', e.last_name || ',', e.first_name, nullif(e.other_names, '')) as name,
      e.matric_number as "matricNumber", coalesce(e.phone, '') as phone
    from roster_entries e where e.department = ${department} and e.year_graduated = ${year}
      and ${isContactable(institution, scopes)} and not ${hasUsableAddress}
    order by lower(e.last_name), lower(e.first_name), e.id`.execute(db);
  return rows.map(({ name, matricNumber, phone }) => [name, matricNumber, phone]);
}

import { hashMembershipCode, newMembershipCode } from '#server/domain/membership-codes.ts';
import type { TestServer } from './test-server.ts';

/** Runs tests in an archive that requires confirmation, and gives the server back to the tests of other files as it was. */
export async function inConfirmedMode(server: TestServer, work: () => Promise<void>): Promise<void> {
  await server.query("update membership_mode set mode = 'confirmed'");
  try {
    await work();
  } finally {
    await server.query("update membership_mode set mode = 'open'");
    await server.query("update accounts set membership_status = 'unconfirmed', confirmed_at = null, confirm_by = null");
    for (const table of ['evidence', 'claims', 'roster_links', 'vouch_links', 'vouch_requests', 'vouches', 'disputes'])
      await server.query(`delete from ${table}`);
    await server.query('delete from roster_entries');
  }
}

/** Adds the profile of a member to the university's list. @returns a code for the entry */
export async function addEntryWithCode(server: TestServer, uid: string, matricKey: string): Promise<string> {
  await server.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, other_names, birth_date, department,
       year_graduated, digest, words, first_import, last_import)
     select $2, $2, last_name, first_name, middle_name, dob::date, department, year_graduated, '', '{}', 1, 1
     from profiles where account_id = $1`,
    uid,
    matricKey,
  );
  const { code } = newMembershipCode();
  await server.query(
    `insert into membership_codes (code_hash, entry_id, kind, expires_at)
     select $2, id, 'printed', now() + interval '1 year' from roster_entries where matric_key = $1`,
    matricKey,
    hashMembershipCode(code),
  );
  return code;
}

/** Confirms members by staff, a month ago, so that they may vouch. */
export async function confirmMembers(server: TestServer, uids: readonly string[]): Promise<void> {
  await server.query(
    `insert into evidence (account_id, kind, assurance, created_at)
     select id, 'staff-review', 'strong', now() - interval '1 month' from unnest($1::uuid[]) as id`,
    uids,
  );
  await server.query(
    `update accounts set membership_status = 'confirmed', confirmed_at = now() - interval '1 month' where id = any($1::uuid[])`,
    uids,
  );
}

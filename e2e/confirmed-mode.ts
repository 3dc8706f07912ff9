import type { TestServer } from './test-server.ts';

export const enterConfirmedMode = (server: TestServer): Promise<void> =>
  server.query("update membership_mode set mode = 'confirmed'");

export async function addEntryWithCode(server: TestServer, uid: string, matricKey: string): Promise<string> {
  await server.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, other_names, birth_date, department,
       year_graduated, words, first_import, last_import)
     select $2, $2, last_name, first_name, middle_name, dob::date, department, year_graduated, '{}', 1, 1
     from profiles where account_id = $1`,
    uid,
    matricKey,
  );
  const { code, hash } = await server.createCode();
  await server.query(
    `insert into membership_codes (code_hash, entry_id, kind, expires_at)
     select $2, id, 'printed', now() + interval '1 year' from roster_entries where matric_key = $1`,
    matricKey,
    hash,
  );
  return code;
}

/** The confirmation is a month old, so that the members may vouch. */
export async function confirmMembers(server: TestServer, uids: readonly string[]): Promise<void> {
  await server.query(
    `insert into evidence (account_id, kind, assurance, created_at)
     select id, 'staff-review', 'strong', now() - interval '1 month' from unnest($1::uuid[]) as id`,
    uids,
  );
  await server.query(
    `insert into confirmed_identities (account_id, evidence_id, first_name, last_name, department, year_graduated, matric_number, confirmed_at)
     select p.account_id, e.id, p.first_name, p.last_name, p.department, p.year_graduated, p.matric_number, e.created_at
     from evidence e join profiles p on p.account_id = e.account_id where e.account_id = any($1::uuid[])`,
    uids,
  );
  await server.query(
    `update accounts set membership_status = 'confirmed', confirmed_at = now() - interval '1 month' where id = any($1::uuid[])`,
    uids,
  );
}

import { sql } from 'kysely';
import type { Db } from '#server/db/client.ts';
import type { Identity } from '#server/db/schema.ts';
import { identitiesAgree } from '../membership/identity-agreement.ts';
import { needsStaffSql } from './claimed-entries.ts';
import { toMatricKey } from './matric-key.ts';
import { withRoster } from './tables.ts';

export interface MailboxMatch {
  readonly accountId: string;
  readonly entryId: number;
}

/**
 * Returns the accounts whose verified address, date of birth, names and class agree with those of exactly one entry
 * that no one holds. Leaves out entries that only staff may confirm, birth dates on 1 January, impostors, and accounts
 * with a claim: only a first claim is decided automatically.
 */
export async function findMailboxMatches(db: Db): Promise<MailboxMatch[]> {
  const { rows } = await sql<MailboxMatch & { person: Identity; entry: Identity }>`
    select a.id as "accountId", min(e.id)::int as "entryId",
      json_build_object('firstName', p.first_name, 'lastName', p.last_name, 'department', p.department,
        'yearGraduated', p.year_graduated) as person,
      json_build_object('firstName', min(e.first_name), 'lastName', min(e.last_name), 'department', min(e.department),
        'yearGraduated', min(e.year_graduated)) as entry
    from roster_entries as e
    join accounts as a on a.email = e.email
    join profiles as p on p.account_id = a.id and p.dob = e.birth_date
    where a.email_verified and a.is_active and a.membership_status = 'unconfirmed' and a.impostor_since is null
      and not ${sql.raw(needsStaffSql)} and to_char(e.birth_date, 'MM-DD') <> '01-01'
      and not exists (select from claims as c where c.account_id = a.id)
      and not exists (select from roster_links as l where l.entry_id = e.id or l.account_id = a.id)
    group by a.id, p.account_id having count(*) = 1`.execute(db);
  return rows
    .filter(({ person, entry }) => identitiesAgree(person, entry))
    .map(({ accountId, entryId }) => ({ accountId, entryId }));
}

const peoplePerBatch = 5_000;

export async function countKnownMatricNumbers(db: Db): Promise<number> {
  let [known, after] = [0, '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const people = await db
      .selectFrom('profiles as p')
      .innerJoin('accounts as a', 'a.id', 'p.account_id')
      .select(['p.account_id', 'p.matric_number'])
      .where('a.membership_status', '=', 'unconfirmed')
      .where('p.account_id', '>', after)
      .orderBy('p.account_id')
      .limit(peoplePerBatch)
      .execute();
    const last = people.at(-1);
    if (!last) return known;
    const keys = people.map(({ matric_number: number }) => toMatricKey(number)).filter(Boolean);
    const found = await withRoster(db)
      .selectFrom('roster_entries')
      .select('matric_key')
      .where('matric_key', '=', sql<string>`any(${[...new Set(keys)]}::text[])`)
      .execute();
    const inRoster = new Set(found.map(({ matric_key: key }) => key));
    known += keys.filter((key) => inRoster.has(key)).length;
    after = last.account_id;
  }
}

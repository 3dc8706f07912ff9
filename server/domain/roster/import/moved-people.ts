import { sql } from 'kysely';
import type { Db } from '../../../db/client.ts';
import { openDispute } from '../../confirmations.ts';
import { namesAgree } from '../../identity-agreement.ts';

/** An entry that an account is confirmed as, and that the staged rows turn into another person. */
interface MovedPerson {
  readonly entryId: number;
  readonly accountId: string;
}

/** Returns the linked entries whose name (except case, diacritics and order) or birth date the staged rows change. */
export async function findMovedPeople(tx: Db): Promise<MovedPerson[]> {
  const { rows } = await sql<
    MovedPerson & {
      isOtherDate: boolean;
      now: Parameters<typeof namesAgree>[0];
      next: Parameters<typeof namesAgree>[0];
    }
  >`
    select e.id::int as "entryId", l.account_id as "accountId",
      e.birth_date is not null and s.birth_date is not null and e.birth_date <> s.birth_date as "isOtherDate",
      json_build_object('firstName', e.first_name, 'lastName', e.last_name) as now,
      json_build_object('firstName', coalesce(nullif(s.first_name, ''), e.first_name),
        'lastName', coalesce(nullif(s.last_name, ''), e.last_name)) as next
    from roster_links l join roster_entries e on e.id = l.entry_id join roster_staging s on s.matric_key = e.matric_key
    where not s.is_duplicate and ((s.last_name, s.first_name, s.birth_date) is distinct from (e.last_name, e.first_name, e.birth_date))
    order by l.account_id`.execute(tx);
  return rows.filter(({ isOtherDate, now, next }) => isOtherDate || !namesAgree(now, next));
}

/** Makes the links of these entries contested: their holders no longer read them, and staff decide. */
export async function contestMovedPeople(tx: Db, people: readonly MovedPerson[]): Promise<void> {
  for (const { entryId, accountId } of people)
    await openDispute(tx, {
      entryId,
      holderId: accountId,
      claimantId: null,
      text: 'An import changed the name or the birth date of the entry.',
    });
}

import { sql } from 'kysely';
import type { NotificationKind } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';

const kind: NotificationKind = 'career-question';

/**
 * Asks each person once, 7 days after joining. People who joined over 14 days ago were imported, or joined before this
 * version.
 */
export async function askForCareers(db: Db): Promise<void> {
  await sql`
    with due as (
      update profiles set awaits_career_question = false
      where awaits_career_question and created_at < now() - interval '7 days'
      returning account_id, created_at, career_saved_at, career_dismissed_at
    )
    insert into notifications (account_id, kind, detail)
    select due.account_id, ${kind}, '' from due join accounts a on a.id = due.account_id
    where due.created_at > now() - interval '14 days' and due.career_saved_at is null and due.career_dismissed_at is null
      and a.is_active and a.hidden_until_sign_in is null
    order by due.account_id`.execute(db);
}

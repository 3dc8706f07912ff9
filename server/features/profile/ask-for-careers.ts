import { sql } from 'kysely';
import type { NotificationKind } from '#contract/notifications.ts';
import type { Db } from '#server/db/client.ts';

const kind: NotificationKind = 'career-question';

/**
 * Asks each person once, 7 to 14 days after joining. People with an older date were imported, or joined before this
 * version.
 */
export async function askForCareers(db: Db): Promise<void> {
  await sql`
    with asked as (
      update profiles p set awaits_career_question = false from accounts a
      where a.id = p.account_id and p.awaits_career_question
        and p.created_at between now() - interval '14 days' and now() - interval '7 days'
        and p.career_saved_at is null and p.career_dismissed_at is null
        and a.is_active and a.hidden_until_sign_in is null
      returning p.account_id
    )
    insert into notifications (account_id, kind, detail) select account_id, ${kind}, '' from asked`.execute(db);
}

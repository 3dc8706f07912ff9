import { sql } from 'kysely';
import type { Db } from '../../db/client.ts';

/** Days in which the address of a new account has to be verified. */
const days = 7;

/** When a new account, or one with another unverified address, is deleted unless its address is verified. */
export const verifyBy = () => sql<Date>`now() + make_interval(days => ${days})`;

/** Shortens deadlines that a clock which was ahead has set. Needs a steady clock. */
export async function shortenDeadlines(db: Db): Promise<void> {
  await db
    .updateTable('accounts')
    .set({ verify_by: verifyBy() })
    .where('email_verified', '=', false)
    .where('verify_by', '>', verifyBy())
    .execute();
}

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '#server/db/client.ts';

/*
 * An open claim that agrees completely with an entry. The address of the entry is asked whether the claim is by this
 * person; staff confirm such claims together if it did not object.
 */

/**
 * Forgets which open claims agree with entries that change: the entry may be another person, or have another address.
 * `reviewOpenClaims` compares the claims again after an import, and asks again.
 * @param entries a query of the ids of the entries
 */
export async function forgetAgreements(tx: Db, entries: RawBuilder<unknown>): Promise<void> {
  await sql`
    update claims set agreeing_entry = null, entry_told_at = null
    where state = 'waiting' and agreeing_entry in (${entries})`.execute(tx);
}

const isAskedAt = (email: string) => sql`state = 'waiting' and entry_told_at is not null
  and agreeing_entry in (select id from roster_entries where email = ${email})`;

/** Forgets the questions to an address to which mail fails. Staff then decide these claims one by one. */
export async function forgetQuestionsTo(db: Db, email: string): Promise<number> {
  const { numAffectedRows } = await sql`update claims set entry_told_at = null where ${isAskedAt(email)}`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export async function countQuestionsTo(db: Db, email: string): Promise<number> {
  const { rows } = await sql<{ claims: number }>`
    select count(*)::int as claims from claims where ${isAskedAt(email)}`.execute(db);
  return rows[0]?.claims ?? 0;
}

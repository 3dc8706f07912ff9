import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Db } from '../../../db/client.ts';
import type { Context } from '../../../domain/context.ts';
import { maxDevicesPerAccount } from '../../../domain/sessions.ts';
import { createCookie } from '../../../platform/http/cookies.ts';
import { hashToken, newToken } from '../../../platform/crypto/tokens.ts';

/*
 * Browsers that have signed in to an account before. Anybody can make an account's lock close; it must not close on the
 * phone that its owner uses every day.
 */

const deviceTtlDays = 400;
const createDeviceCookie = ({ config }: Context) =>
  createCookie('device', deviceTtlDays * 24 * 60 * 60, config.http.publicUrl);

/** What this browser is known by; a new one gets a new token. */
export const getOrCreateDeviceToken = (context: Context, request: FastifyRequest): string =>
  createDeviceCookie(context).read(request) ?? newToken().token;

export const writeDeviceCookie = (context: Context, reply: FastifyReply, token: string): void =>
  createDeviceCookie(context).write(reply, token);

/** Asked in the same way for an address without an account, so that the time does not tell. @param email canonical */
export async function isKnownDevice(db: Db, email: string, token: string): Promise<boolean> {
  const device = await db
    .selectFrom('known_devices as d')
    .innerJoin('accounts as a', 'a.id', 'd.account_id')
    .select('d.account_id')
    .where('a.email', '=', email)
    .where('d.token_hash', '=', hashToken(token))
    .executeTakeFirst();
  return device !== undefined;
}

/** Only digests are kept, one for each account that signed in with this browser. */
export async function rememberDevice(db: Db, accountId: string, token: string): Promise<void> {
  await db
    .insertInto('known_devices')
    .values({ account_id: accountId, token_hash: hashToken(token) })
    .onConflict((conflict) => conflict.columns(['account_id', 'token_hash']).doUpdateSet({ seen_at: sql<Date>`now()` }))
    .execute();
  await db
    .deleteFrom('known_devices')
    .where('account_id', '=', accountId)
    .where('token_hash', 'in', (eb) =>
      eb
        .selectFrom('known_devices')
        .select('token_hash')
        .where('account_id', '=', accountId)
        .orderBy('seen_at', 'desc')
        .offset(maxDevicesPerAccount),
    )
    .execute();
}

/** A thief's browser is known too: after a new password only the one in which it was chosen is. */
export async function forgetDevices(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('known_devices').where('account_id', '=', accountId).execute();
}

/** Browsers that have not come back for so long have lost their cookie. */
export async function deleteExpiredDevices(db: Db): Promise<void> {
  await db
    .deleteFrom('known_devices')
    .where('seen_at', '<', sql<Date>`now() - make_interval(days => ${deviceTtlDays})`)
    .execute();
}

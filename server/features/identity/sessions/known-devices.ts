import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { type Db, now } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { maxDevicesPerAccount } from '#server/domain/accounts/sessions.ts';
import { createCookie } from '#server/platform/http/cookies.ts';
import { hashToken, newToken } from '#server/platform/crypto/tokens.ts';

/*
 * Browsers that have signed in to an account before. An attacker can trigger the sign-in limits of an account, so known
 * browsers have separate limits: the owner can still sign in.
 */

const deviceTtlDays = 400;
const createDeviceCookie = ({ config }: Context) =>
  createCookie('device', deviceTtlDays * 24 * 60 * 60, config.http.publicUrl);

export const getOrCreateDeviceToken = (context: Context, request: FastifyRequest): string =>
  createDeviceCookie(context).read(request) ?? newToken().token;

export const writeDeviceCookie = (context: Context, reply: FastifyReply, token: string): void =>
  createDeviceCookie(context).write(reply, token);

/**
 * Runs the same query for an unknown address, so that the response time does not reveal whether an account exists.
 * @param email canonical
 */
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

/** Stores only a hash of the token. */
export async function rememberDevice(db: Db, accountId: string, token: string): Promise<void> {
  await db
    .insertInto('known_devices')
    .values({ account_id: accountId, token_hash: hashToken(token) })
    .onConflict((conflict) => conflict.columns(['account_id', 'token_hash']).doUpdateSet({ seen_at: now }))
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

/** Call it after a change of the password, because the browsers may include an attacker's. */
export async function forgetDevices(db: Db, accountId: string): Promise<void> {
  await db.deleteFrom('known_devices').where('account_id', '=', accountId).execute();
}

export async function deleteExpiredDevices(db: Db): Promise<void> {
  await db
    .deleteFrom('known_devices')
    .where('seen_at', '<', sql<Date>`now() - make_interval(days => ${deviceTtlDays})`)
    .execute();
}

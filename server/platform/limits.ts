import { createHash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { sql } from 'kysely';
import { resendCooldown } from '#contract/times.ts';
import type { Db } from '../db/client.ts';
import { clockTolerance } from './clock.ts';
import { ProblemError } from './problem.ts';

/**
 * How often something may be tried in a window of time. A whole campus can stand behind one IPv4 address (carrier NAT),
 * so limits by address are wide and those by account are narrow. A recipient is a mailbox, whoever has mail sent there.
 */
export const limitRules = {
  signInByAddress: { hits: 100, seconds: 15 * 60 },
  signInByAccountAndAddress: { hits: 5, seconds: 5 * 60 },
  signInByAccount: { hits: 50, seconds: 60 * 60 },
  signInByDevice: { hits: 50, seconds: 60 * 60 },
  /** Right passwords are counted too: each new session may be a notice, and a row. */
  sessionsByAccount: { hits: 120, seconds: 60 * 60 },
  /**
   * By account, and apart from it by a browser that has signed in before: whoever has only stolen the password cannot lock it. Passwords
   * that wait for a second factor are counted before codes are, and no session is.
   */
  pendingByAccount: { hits: 60, seconds: 60 * 60 },
  pendingByDevice: { hits: 60, seconds: 60 * 60 },
  secondFactorByAccount: { hits: 10, seconds: 60 * 60 },
  secondFactorByDevice: { hits: 10, seconds: 60 * 60 },
  secondFactorMailByRecipient: { hits: 3, seconds: 24 * 60 * 60 },
  newDeviceMailByRecipient: { hits: 10, seconds: 60 * 60 },
  setUpFactorByAccount: { hits: 30, seconds: 60 * 60 },
  passkeyByAddress: { hits: 600, seconds: 15 * 60 },
  signUpByAddress: { hits: 60, seconds: 60 * 60 },
  reauthenticateByAccount: { hits: 10, seconds: 5 * 60 },
  resetByAddress: { hits: 60, seconds: 60 * 60 },
  resetMailByRecipient: { hits: 5, seconds: 60 * 60 },
  verificationMailByAccount: { hits: 1, seconds: resendCooldown },
  verificationMailByRecipient: { hits: 10, seconds: 60 * 60 },
  changeEmailByAccount: { hits: 5, seconds: 60 * 60 },
  changePasswordByAccount: { hits: 5, seconds: 60 * 60 },
  codesByAddress: { hits: 200, seconds: 60 * 60 },
  tokenByAccount: { hits: 120, seconds: 60 * 60 },
  exportByAccount: { hits: 10, seconds: 60 * 60 },
  photosByAccount: { hits: 100, seconds: 60 * 60 },
  /** Messages from one member to another: sent by one, sent by one to the same one, and received by one. */
  contactBySender: { hits: 10, seconds: 24 * 60 * 60 },
  contactByPair: { hits: 3, seconds: 24 * 60 * 60 },
  contactByRecipient: { hits: 40, seconds: 24 * 60 * 60 },
  /** Asked while somebody types, by everybody behind one address. */
  passwordStatusByAddress: { hits: 3_000, seconds: 60 * 60 },
} as const satisfies Record<string, { hits: number; seconds: number }>;

export type LimitRule = keyof typeof limitRules;

/** Addresses and accounts are not kept in the clear, only their digest: a table of throttles is no visitors' book. */
export const keyOf = (rule: string, subject: readonly string[]) =>
  `${rule}:${createHash('sha256').update(JSON.stringify(subject)).digest('base64url')}`;

/**
 * Counts one attempt, in one atomic statement: of any number of parallel ones, in any number of processes, exactly
 * `hits` are let through in a window.
 * @returns the seconds to wait, 0 when the attempt is allowed
 */
export async function countAttempt(db: Db, rule: LimitRule, ...subject: string[]): Promise<number> {
  const limit = limitRules[rule];
  const { hits, wait } = await countHits(db, keyOf(rule, subject), limit.seconds);
  return hits > limit.hits ? wait : 0;
}

/** The largest number that a throttle counts to: what is allowed more often is allowed for ever. */
const mostHits = 2 ** 31 - 1;

/**
 * Counts so many hits at once. A window that ends later than a new one would, was written by a clock that was ahead: it is over.
 * @returns all of the window so far, these included, and the seconds until it ends, at least one
 */
export async function countHits(
  db: Db,
  key: string,
  seconds: number,
  added = 1,
): Promise<{ hits: number; wait: number }> {
  const isOver = sql`(t.window_ends <= now() or t.window_ends > now() + make_interval(secs => ${seconds + clockTolerance}))`;
  const { rows } = await sql<{ hits: number; wait: number }>`
    insert into throttles as t (key, hits, window_ends)
    values (${key}, ${Math.min(added, mostHits)}, now() + make_interval(secs => ${seconds}))
    on conflict (key) do update set
      hits = case when ${isOver} then excluded.hits else least(t.hits::bigint + excluded.hits, ${mostHits}) end,
      window_ends = case when ${isOver} then excluded.window_ends else t.window_ends end
    returning hits, greatest(1, ceil(extract(epoch from window_ends - now())))::int as wait`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('An attempt that was counted is not there.');
  return row;
}

/** Takes back hits that were counted ahead, and not used in their window. */
export async function takeBackHits(db: Db, key: string, hits: number): Promise<void> {
  await sql`
    update throttles set hits = greatest(0, hits - ${Math.min(hits, mostHits)})
    where key = ${key} and window_ends > now()`.execute(db);
}

/** Counts one attempt. @throws ProblemError auth/too-many-requests with the seconds to wait */
export async function requireAttempt(db: Db, rule: LimitRule, ...subject: string[]): Promise<void> {
  const retryAfter = await countAttempt(db, rule, ...subject);
  if (retryAfter > 0) throw new ProblemError('auth/too-many-requests', { retryAfter, limit: rule });
}

/** Takes one attempt back that turned out to be harmless, such as a right password. */
export async function forgiveAttempt(db: Db, rule: LimitRule, ...subject: string[]): Promise<void> {
  await db
    .updateTable('throttles')
    .set((eb) => ({ hits: eb('hits', '-', 1) }))
    .where('key', '=', keyOf(rule, subject))
    .where('hits', '>', 0)
    .execute();
}

/** Forgets all attempts of one subject. */
export async function clearAttempts(db: Db, rule: LimitRule, ...subject: string[]): Promise<void> {
  await db.deleteFrom('throttles').where('key', '=', keyOf(rule, subject)).execute();
}

/** Forgets whatever was counted of one subject, such as an account that is no more. */
export async function forgetSubject(db: Db, ...subject: string[]): Promise<void> {
  await db
    .deleteFrom('throttles')
    // Under whichever rule or budget; the digest alone stands behind the last colon.
    .where(sql<string>`substring(key from '[^:]*$')`, '=', keyOf('', subject).slice(1))
    .execute();
}

/** Seconds until the next attempt would be allowed, without making one. */
export async function waitFor(db: Db, rule: LimitRule, ...subject: string[]): Promise<number> {
  const row = await db
    .selectFrom('throttles')
    .select(sql<number>`ceil(extract(epoch from window_ends - now()))::int`.as('wait'))
    .where('key', '=', keyOf(rule, subject))
    .where('hits', '>=', limitRules[rule].hits)
    .where('window_ends', '<=', sql<Date>`now() + make_interval(secs => ${limitRules[rule].seconds + clockTolerance})`)
    .executeTakeFirst();
  return Math.max(0, row?.wait ?? 0);
}

/** Windows that have ended say nothing any more. */
export async function deleteEndedWindows(db: Db): Promise<void> {
  await db
    .deleteFrom('throttles')
    .where((eb) =>
      eb.or([
        eb('window_ends', '<', sql<Date>`now()`),
        // Longer than any of ours, by a clock that was ahead.
        eb('window_ends', '>', sql<Date>`now() + interval '2 days'`),
      ]),
    )
    .execute();
}

/**
 * What one household or phone has of the address space: an IPv4 address, or the /64 of an IPv6 one.
 * @param ip as Fastify has it; none, whatever its types say, once a visitor has hung up. All of those are one network.
 */
export function networkOf(ip: string | undefined): string {
  if (ip === undefined) return 'nowhere';
  const address = ip.replace(/%.*$/u, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const rest = tail === '' ? [] : tail.split(':');
    groups.push(...Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0'), ...rest);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

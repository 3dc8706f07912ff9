import { type KeyObject, createHmac, createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import type { ProblemCode } from '#contract/problem.ts';
import { type Db, now } from '#server/db/client.ts';
import type { InstallationKey } from '../crypto/installation-key.ts';
import type { Network } from './networks.ts';
import { ProblemError } from '../http/problem.ts';

export interface RateLimitRule<Name extends string = string> {
  readonly maxHits: number;
  readonly windowSeconds: number;
  /** Whether the subject is an email address. Addresses that differ only in a `+tag` share a limit. */
  readonly isMailbox?: boolean;
  /** Stores the counts in an unlogged table: half the disk writes, but a crash or a failover resets them. */
  readonly isUnlogged?: boolean;
  /** Limits a /56 or /48 to this share of another rule, but never to less than `maxHits`. */
  readonly maxShareOf?: { readonly rule: Name; readonly share: number };
  readonly problem?: ProblemCode;
}

/**
 * Returns the mailbox of an email address: mail for `name+tag@host` arrives at `name@host`. Accounts keep the full
 * address.
 */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*(?=@[^@]*$)/u, '');

export type Subject = readonly (string | readonly Network[])[];

export interface RateLimiter<Name extends string> {
  /**
   * Counts one attempt. Each network is counted in one atomic statement, so parallel attempts cannot exceed `maxHits`.
   * @returns the seconds to wait, or 0 when the attempt is allowed
   */
  countAttempt(db: Db, name: Name, ...subject: Subject): Promise<number>;
  /** @throws ProblemError with the seconds to wait when the limit is exceeded */
  requireAttempt(db: Db, name: Name, ...subject: Subject): Promise<void>;
  secondsUntilAllowed(db: Db, name: Name, ...subject: Subject): Promise<number>;
  /**
   * Checks the limit without counting an attempt.
   * @throws ProblemError with the seconds to wait when the limit is reached
   */
  requireBelowLimit(db: Db, name: Name, ...subject: Subject): Promise<void>;
  refundAttempt(db: Db, name: Name, ...subject: Subject): Promise<void>;
  clearAttempts(db: Db, name: Name, ...subject: Subject): Promise<void>;
  /** Deletes all counts of an account, under every rule and budget. */
  deleteSubject(db: Db, accountId: string): Promise<void>;
  /**
   * Returns the key of a count. Contains the subject only as an HMAC, so the table stores no account, mailbox or
   * address.
   */
  createKey(name: string, subject: readonly string[]): Promise<string>;
}

export function createLimiter<Name extends string>(
  installationKey: InstallationKey,
  rules: Readonly<Record<Name, RateLimitRule<NoInfer<Name>>>>,
): RateLimiter<Name> {
  const maxHitsOf = (name: Name, limitFactor: number) => {
    const { maxHits, maxShareOf } = rules[name];
    if (!maxShareOf) return maxHits * limitFactor;
    const shared = Math.floor(rules[maxShareOf.rule].maxHits * maxShareOf.share);
    return Math.min(maxHits * limitFactor, Math.max(maxHits, shared));
  };

  let derivedKey: KeyObject | undefined;
  async function digestOf(subject: readonly string[]): Promise<string> {
    derivedKey ??= createSecretKey(await installationKey.derive('rate limits'));
    return createHmac('sha256', derivedKey).update(JSON.stringify(subject)).digest('base64url');
  }
  const createKey = async (name: string, subject: readonly string[]) => `${name}:${await digestOf(subject)}`;

  const countersOf = (name: Name, subject: Subject): Promise<{ key: string; maxHits: number }[]> => {
    const { isMailbox = false } = rules[name];
    const networks = subject.find((part) => typeof part !== 'string') ?? [{ prefix: '', limitFactor: 1 }];
    return Promise.all(
      networks.map(async ({ prefix, limitFactor }) => {
        const parts = subject.map((part) => (typeof part === 'string' ? (isMailbox ? mailboxOf(part) : part) : prefix));
        return { key: await createKey(name, parts), maxHits: maxHitsOf(name, limitFactor) };
      }),
    );
  };
  const keysOf = async (name: Name, subject: Subject) => (await countersOf(name, subject)).map(({ key }) => key);
  const tableOf = (name: Name) => (rules[name].isUnlogged === true ? 'throttles' : 'long_throttles');
  const throwIfRefused = (name: Name, retryAfter: number) => {
    if (retryAfter > 0)
      throw new ProblemError(rules[name].problem ?? 'auth/too-many-requests', { retryAfter, limit: name });
  };

  const limiter: RateLimiter<Name> = {
    createKey,
    countAttempt: async (db, name, ...subject) => {
      // An attempt that one network's limit refuses does not count for the other networks. Otherwise one visitor could
      // use up the limits of everyone in the same /48.
      const counted: string[] = [];
      for (const { key, maxHits } of await countersOf(name, subject)) {
        const { hits, waitSeconds } = await countHits(db, key, rules[name].windowSeconds, 1, tableOf(name));
        if (hits > maxHits) {
          for (const smaller of counted) await refundHits(db, smaller, 1, tableOf(name));
          return waitSeconds;
        }
        counted.push(key);
      }
      return 0;
    },
    requireAttempt: async (db, name, ...subject) =>
      throwIfRefused(name, await limiter.countAttempt(db, name, ...subject)),
    requireBelowLimit: async (db, name, ...subject) =>
      throwIfRefused(name, await limiter.secondsUntilAllowed(db, name, ...subject)),
    secondsUntilAllowed: async (db, name, ...subject) => {
      const counters = await countersOf(name, subject);
      const rows = await db
        .selectFrom(tableOf(name))
        .select(['key', 'hits', sql<number>`ceil(extract(epoch from window_ends - now()))::int`.as('waitSeconds')])
        .where('key', '=', sql<string>`any(${counters.map(({ key }) => key)})`)
        .execute();
      const isUsedUp = (row: { key: string; hits: number }) =>
        counters.some(({ key, maxHits }) => key === row.key && row.hits >= maxHits);
      return Math.max(0, ...rows.filter(isUsedUp).map(({ waitSeconds }) => waitSeconds));
    },
    refundAttempt: async (db, name, ...subject) => {
      for (const key of await keysOf(name, subject)) await refundHits(db, key, 1, tableOf(name));
    },
    clearAttempts: async (db, name, ...subject) => {
      for (const key of await keysOf(name, subject))
        await db.deleteFrom(tableOf(name)).where('key', '=', key).execute();
    },
    deleteSubject: async (db, accountId) => {
      const digest = await digestOf([accountId]);
      for (const table of counterTables)
        await db
          .deleteFrom(table)
          // A key ends with a colon and the digest of the subject.
          .where(sql<string>`substring(key from '[^:]*$')`, '=', digest)
          .execute();
    },
  };
  return limiter;
}

/** Unlogged counters, and logged ones (`long_throttles`, also of short windows), which are in backups. */
const counterTables = ['throttles', 'long_throttles'] as const;
type CounterTable = (typeof counterTables)[number];

/** The counter is a 32-bit integer, so larger limits never refuse anything. */
const maxCountedHits = 2 ** 31 - 1;

/**
 * Adds hits to a counter, and starts a new window when the last one has ended.
 * @returns all hits of the window, including these, and the seconds until it ends, at least 1
 */
export async function countHits(
  db: Db,
  key: string,
  windowSeconds: number,
  added = 1,
  table: CounterTable = 'throttles',
): Promise<{ hits: number; waitSeconds: number }> {
  const isLong = table === 'long_throttles';
  const isOver = sql`t.window_ends <= now()`;
  const { rows } = await sql<{ hits: number; waitSeconds: number }>`
    insert into ${sql.table(table)} as t (key, hits, window_ends${sql.raw(isLong ? ', window_seconds' : '')})
    values (${key}, ${Math.min(added, maxCountedHits)}, now() + make_interval(secs => ${windowSeconds})${isLong ? sql`, ${windowSeconds}` : sql``})
    on conflict (key) do update set
      hits = case when ${isOver} then excluded.hits else least(t.hits::bigint + excluded.hits, ${maxCountedHits}) end,
      window_ends = case when ${isOver} then excluded.window_ends else t.window_ends end
    returning hits, greatest(1, ceil(extract(epoch from window_ends - now())))::int as "waitSeconds"`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('Counting an attempt returned no row.');
  return row;
}

export async function refundHits(db: Db, key: string, hits: number, table: CounterTable = 'throttles'): Promise<void> {
  await sql`
    update ${sql.table(table)} set hits = greatest(0, hits - ${Math.min(hits, maxCountedHits)})
    where key = ${key} and window_ends > now()`.execute(db);
}

export async function deleteExpiredWindows(db: Db): Promise<void> {
  for (const table of counterTables) await db.deleteFrom(table).where('window_ends', '<', now).execute();
}

/**
 * Deletes the unlogged counters, and shortens the windows of the others to their length. A window that was started while the
 * clock was wrong could last for years.
 */
export async function resetRateLimits(db: Db): Promise<void> {
  await db.deleteFrom('throttles').execute();
  await sql`
    update long_throttles set window_ends = now() + make_interval(secs => window_seconds)
    where window_ends > now() + make_interval(secs => window_seconds)`.execute(db);
}

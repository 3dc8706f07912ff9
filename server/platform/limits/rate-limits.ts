import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import { resendCooldownSeconds } from '#contract/times.ts';
import type { Db } from '../../db/client.ts';
import type { InstallationKey } from '../crypto/installation-key.ts';
import type { Network } from './networks.ts';
import { ProblemError } from '../http/problem.ts';

/**
 * How often something may be tried in a window of time. A whole campus can stand behind one IPv4 address (carrier NAT),
 * so limits by address are wide and those by account are narrow. An IPv6 address counts for its /64, /56 and /48, and the
 * larger networks have larger limits (`networksOf`). A recipient is a mailbox, whoever has mail sent there.
 */
export const rateLimitRules = {
  signInByAddress: { hits: 100, seconds: 15 * 60 },
  signInByAccountAndAddress: { hits: 5, seconds: 5 * 60 },
  signInByAccount: { hits: 50, seconds: 60 * 60 },
  signInByDevice: { hits: 50, seconds: 60 * 60 },
  /** Right passwords are counted too: each new session may be a notice, and a row. */
  sessionsByAccount: { hits: 120, seconds: 60 * 60 },
  sessionsByDevice: { hits: 120, seconds: 60 * 60 },
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
  /** Answers that reveal that an address has an account. Counted separately, so that probing does not keep others from signing up. */
  refusedSignUpByAddress: { hits: 300, seconds: 60 * 60 },
  /** Of the whole installation (SIGN_UP_MAILS_PER_HOUR). `countSignUpMail` counts it, before other limits of mails. */
  signUpMails: { hits: 500, seconds: 60 * 60 },
  /** The same mails by network. A /56 or /48 gets at most half of `signUpMails`, or as much as a /64 where that is more. */
  signUpMailsByAddress: { hits: 100, seconds: 60 * 60 },
  reauthenticateByAccount: { hits: 10, seconds: 5 * 60 },
  reauthenticateByAccountAndDay: { hits: 50, seconds: 24 * 60 * 60 },
  resetByAddress: { hits: 60, seconds: 60 * 60 },
  resetMailByRecipient: { hits: 5, seconds: 60 * 60 },
  verificationMailByAccount: { hits: 1, seconds: resendCooldownSeconds },
  verificationMailByRecipient: { hits: 10, seconds: 60 * 60 },
  changeEmailByAccount: { hits: 5, seconds: 60 * 60 },
  changePasswordByAccount: { hits: 5, seconds: 60 * 60 },
  codesByAddress: { hits: 200, seconds: 60 * 60 },
  tokenByAccount: { hits: 120, seconds: 60 * 60 },
  exportByAccount: { hits: 10, seconds: 60 * 60 },
  /** Saves of the profile and of the privacy choices, and new portraits among them. */
  profileByAccount: { hits: 60, seconds: 60 * 60 },
  picturesByAccount: { hits: 30, seconds: 60 * 60 },
  photosByAccount: { hits: 100, seconds: 60 * 60 },
  /** Messages from one member to another: sent by one, sent by one to the same one, and received by one. */
  contactBySender: { hits: 10, seconds: 24 * 60 * 60 },
  /** For a member whose profile is younger than a day: new accounts must not be able to write to many people at once. */
  contactByNewSender: { hits: 3, seconds: 24 * 60 * 60 },
  contactByPair: { hits: 3, seconds: 24 * 60 * 60 },
  reportsByReporter: { hits: 20, seconds: 24 * 60 * 60 },
  contactByRecipient: { hits: 40, seconds: 24 * 60 * 60 },
  /** Asked while somebody types, by everybody behind one address. */
  passwordStatusByAddress: { hits: 3_000, seconds: 60 * 60 },
} as const satisfies Record<string, { hits: number; seconds: number }>;

export type RateLimitName = keyof typeof rateLimitRules;

/** Seconds for which attempts are counted at most; the budgets of browsing have no longer window. */
export const maxWindowSeconds = Math.max(...Object.values(rateLimitRules).map(({ seconds }) => seconds));

/** The mailbox behind an address: mail for `name+tag@host` arrives at `name@host`. Accounts keep the typed address. */
const mailboxOf = (email: string): string => email.replace(/\+[^@]*(?=@[^@]*$)/u, '');

/** Who or what a rule counts: words such as an account id or an address, and the networks of a visitor. */
export type Subject = readonly (string | readonly Network[])[];

/** Counts attempts in the database, so that limits hold across processes. */
export interface Limiter {
  /**
   * Counts one attempt, in one atomic statement per network: of any number of parallel ones, in any number of processes,
   * exactly `hits` are let through in a window.
   * @returns the seconds to wait, 0 when the attempt is allowed
   */
  countAttempt(db: Db, rule: RateLimitName, ...subject: Subject): Promise<number>;
  /** Counts one attempt. @throws ProblemError auth/too-many-requests with the seconds to wait */
  requireAttempt(db: Db, rule: RateLimitName, ...subject: Subject): Promise<void>;
  /** Returns the seconds until the next attempt would be allowed, without counting one. */
  secondsUntilAllowed(db: Db, rule: RateLimitName, ...subject: Subject): Promise<number>;
  /** Throws when an attempt would be refused, without counting one. @throws ProblemError auth/too-many-requests */
  requireBelowLimit(db: Db, rule: RateLimitName, ...subject: Subject): Promise<void>;
  /** Takes one attempt back that turned out to be harmless, such as a right password. */
  refundAttempt(db: Db, rule: RateLimitName, ...subject: Subject): Promise<void>;
  /** Forgets all attempts of one subject. */
  clearAttempts(db: Db, rule: RateLimitName, ...subject: Subject): Promise<void>;
  /** Forgets everything that was counted of one account, under any rule or budget. */
  deleteSubject(db: Db, accountId: string): Promise<void>;
  /** Returns the key of a count. The subject stands in it as an HMAC: the table names no account, mailbox or address. */
  createKey(name: string, subject: readonly string[]): Promise<string>;
}

/** @param ceilings replace the number of hits of single rules, for those that are settings */
export function createLimiter(
  installationKey: InstallationKey,
  ceilings: Partial<Record<RateLimitName, number>> = {},
): Limiter {
  const hitsOf = (rule: RateLimitName) => ceilings[rule] ?? rateLimitRules[rule].hits;

  const hitsOfNetwork = (rule: RateLimitName, share: number) => {
    const hits = hitsOf(rule);
    if (rule !== 'signUpMailsByAddress') return hits * share;
    return Math.min(hits * share, Math.max(hits, Math.floor(hitsOf('signUpMails') / 2)));
  };

  async function digestOf(subject: readonly string[]): Promise<string> {
    const key = await installationKey.derive('rate limits');
    return createHmac('sha256', key).update(JSON.stringify(subject)).digest('base64url');
  }
  const createKey = async (name: string, subject: readonly string[]) => `${name}:${await digestOf(subject)}`;

  /** Returns the counts that a subject has, the smallest network first. */
  const countsOf = (rule: RateLimitName, subject: Subject): Promise<{ key: string; hits: number }[]> => {
    const isMailbox = rule.endsWith('MailByRecipient');
    const networks = subject.find((part) => typeof part !== 'string') ?? [{ prefix: '', limitFactor: 1 }];
    return Promise.all(
      networks.map(async ({ prefix, limitFactor: share }) => {
        const words = subject.map((part) => (typeof part === 'string' ? (isMailbox ? mailboxOf(part) : part) : prefix));
        return { key: await createKey(rule, words), hits: hitsOfNetwork(rule, share) };
      }),
    );
  };
  const keysOf = async (rule: RateLimitName, subject: Subject) => (await countsOf(rule, subject)).map(({ key }) => key);
  const refuse = (rule: RateLimitName, retryAfter: number) => {
    const code = rule === 'signUpMails' ? 'sign-up/too-many-requests' : 'auth/too-many-requests';
    if (retryAfter > 0) throw new ProblemError(code, { retryAfter, limit: rule });
  };

  const limiter: Limiter = {
    createKey,
    countAttempt: async (db, rule, ...subject) => {
      // A request that the smallest network is refused does not count for the larger ones, so it cannot use up the limits of others.
      // One that a larger network is refused does not count for the smaller ones either.
      const counted: string[] = [];
      for (const { key, hits: allowed } of await countsOf(rule, subject)) {
        const { hits, wait } = await countHits(db, key, rateLimitRules[rule].seconds);
        if (hits > allowed) {
          for (const smaller of counted) await refundHits(db, smaller, 1);
          return wait;
        }
        counted.push(key);
      }
      return 0;
    },
    requireAttempt: async (db, rule, ...subject) => refuse(rule, await limiter.countAttempt(db, rule, ...subject)),
    requireBelowLimit: async (db, rule, ...subject) =>
      refuse(rule, await limiter.secondsUntilAllowed(db, rule, ...subject)),
    secondsUntilAllowed: async (db, rule, ...subject) => {
      const counts = await countsOf(rule, subject);
      const rows = await db
        .selectFrom('throttles')
        .select(['key', 'hits', sql<number>`ceil(extract(epoch from window_ends - now()))::int`.as('wait')])
        .where('key', '=', sql<string>`any(${counts.map(({ key }) => key)})`)
        .execute();
      const isUsedUp = (row: { key: string; hits: number }) =>
        counts.some(({ key, hits }) => key === row.key && row.hits >= hits);
      return Math.max(0, ...rows.filter(isUsedUp).map(({ wait }) => wait));
    },
    refundAttempt: async (db, rule, ...subject) => {
      for (const key of await keysOf(rule, subject)) await refundHits(db, key, 1);
    },
    clearAttempts: async (db, rule, ...subject) => {
      for (const key of await keysOf(rule, subject)) await db.deleteFrom('throttles').where('key', '=', key).execute();
    },
    deleteSubject: async (db, accountId) => {
      await db
        .deleteFrom('throttles')
        // The digest alone stands behind the last colon.
        .where(sql<string>`substring(key from '[^:]*$')`, '=', await digestOf([accountId]))
        .execute();
    },
  };
  return limiter;
}

/** The largest number that a throttle counts to: what is allowed more often is allowed for ever. */
const maxCountedHits = 2 ** 31 - 1;

/**
 * Counts so many hits at once.
 * @returns all of the window so far, these included, and the seconds until it ends, at least one
 */
export async function countHits(
  db: Db,
  key: string,
  seconds: number,
  added = 1,
): Promise<{ hits: number; wait: number }> {
  const isOver = sql`t.window_ends <= now()`;
  const { rows } = await sql<{ hits: number; wait: number }>`
    insert into throttles as t (key, hits, window_ends)
    values (${key}, ${Math.min(added, maxCountedHits)}, now() + make_interval(secs => ${seconds}))
    on conflict (key) do update set
      hits = case when ${isOver} then excluded.hits else least(t.hits::bigint + excluded.hits, ${maxCountedHits}) end,
      window_ends = case when ${isOver} then excluded.window_ends else t.window_ends end
    returning hits, greatest(1, ceil(extract(epoch from window_ends - now())))::int as wait`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('An attempt that was counted is not there.');
  return row;
}

/** Takes back hits that were counted ahead, and not used in their window. */
export async function refundHits(db: Db, key: string, hits: number): Promise<void> {
  await sql`
    update throttles set hits = greatest(0, hits - ${Math.min(hits, maxCountedHits)})
    where key = ${key} and window_ends > now()`.execute(db);
}

/** Windows that have ended say nothing any more. */
export async function deleteExpiredWindows(db: Db): Promise<void> {
  await db
    .deleteFrom('throttles')
    .where('window_ends', '<', sql<Date>`now()`)
    .execute();
}

/** Ends all windows. A window that was opened by a wrong clock could last for any time. */
export async function resetRateLimits(db: Db): Promise<void> {
  await db.deleteFrom('throttles').execute();
}

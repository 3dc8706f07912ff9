import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { resendCooldownSeconds } from '#contract/durations.ts';
import { deleteOldMessagesJob, reportUndeliveredJob } from '#server/features/contact/jobs.ts';
import { nightlyCleanUpJob, hourlyCleanUpJob, passwordChangedJob } from '#server/features/identity/jobs.ts';
import { deleteOldNotificationsJob } from '#server/features/notifications/jobs.ts';
import { removePicturesJob } from '#server/features/profile/jobs.ts';
import { deleteOldReportsJob } from '#server/features/reports/jobs.ts';
import { isClockSteady, recordClock, watchClock } from '#server/platform/lifecycle/clock.ts';
import { recreateQueue } from '#server/platform/jobs/job-transfer.ts';
import { resetRateLimits } from '#server/platform/limits/rate-limits.ts';
import { createLog } from '#server/platform/log/log.ts';
import { type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';
import {
  type MemberWithApp,
  computeAppCode,
  createMemberWithApp,
  typePassword,
} from '#server/testing/second-factor.ts';
import { type ShiftClock, makeClockShiftable } from '#server/testing/shifted-clock.ts';

/*
 * Wrong clocks: the database's clock, which sets all timestamps, and the clock of the process, which authenticator
 * codes depend on.
 */

let archive: TestArchive;
let shiftDatabase: ShiftClock;

const durationsMs = { '1 year': 365.25 * 24 * 60 * 60 * 1000, '1 hour': 60 * 60 * 1000 } as const;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  shiftDatabase = await makeClockShiftable(archive.pool);
});
afterEach(async () => {
  vi.useRealTimers();
  await shiftDatabase('0');
  await archive.pool.query(`update clock set seen_at = now(), steady_since = now() - interval '1 year'`);
});
afterAll(() => archive.close());

interface Jump {
  readonly by: keyof typeof durationsMs;
  readonly ahead: boolean;
  readonly database: boolean;
  readonly process: boolean;
}

async function jump({ by, ahead, database, process }: Jump): Promise<void> {
  if (database) await shiftDatabase(`${ahead ? '' : '-'}${by}`);
  if (process) {
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + (ahead ? 1 : -1) * durationsMs[by]);
  }
}

async function resetClocks(): Promise<void> {
  vi.useRealTimers();
  await shiftDatabase('0');
}

async function withClockWatch(
  work: (seen: { readonly log: () => string; readonly jumps: () => number }) => Promise<void>,
): Promise<void> {
  const { db } = archive.context;
  const lines: string[] = [];
  let jumps = 0;
  const clock = await watchClock({
    db,
    log: createLog('warn', { write: (line) => void lines.push(line) }),
    onJump: async () => {
      await resetRateLimits(db);
      jumps++;
    },
    intervalMs: 10,
  });
  try {
    await work({ log: () => lines.join(''), jumps: () => jumps });
  } finally {
    await clock.stop();
  }
}

const complete = 'POST /api/identity/sign-in/second-factor';

const signIn = async ({ email, password }: Visitor) => {
  const device = archive.openDevice();
  await device.call('POST /api/identity/sign-in', { body: { email, password } });
  return device;
};

const findSignedInUser = async ({ device }: Visitor) =>
  (await device.call('GET /api/identity/session')).user?.uid ?? null;

const enterCode = async (owner: MemberWithApp, code: string) => {
  const device = await typePassword(archive, owner);
  const answer = await device.ask(complete, { body: { code } });
  return answer.statusCode === 200 ? 'in' : answer.json<{ code: string }>().code;
};

const cleanUp = async () => {
  for (const job of [
    nightlyCleanUpJob,
    hourlyCleanUpJob,
    reportUndeliveredJob,
    deleteOldMessagesJob,
    deleteOldReportsJob,
    deleteOldNotificationsJob,
    removePicturesJob,
  ])
    await job.queue(archive.context.db, {});
  await archive.runJobs();
};

describe.each<Jump & { name: string }>([
  { name: 'both clocks are a year ahead', by: '1 year', ahead: true, database: true, process: true },
  { name: 'both clocks are a year behind', by: '1 year', ahead: false, database: true, process: true },
  { name: 'both clocks are an hour ahead', by: '1 hour', ahead: true, database: true, process: true },
  { name: 'only the process’s clock is a year ahead', by: '1 year', ahead: true, database: false, process: true },
])('while $name', (wrong) => {
  test('users can sign in, and stay signed in after the correction, and receive their mails after `jobs recreate`', async () => {
    const [member, owner] = [await archive.createMember(), await createMemberWithApp(archive)];
    const firstLine = archive.logged.length;
    await withClockWatch(async ({ jumps }) => {
      await jump(wrong);
      // Older sessions may require a sign-in now, but the cookie is kept.
      await findSignedInUser(member);
      expect(await findSignedInUser({ ...member, device: await signIn(member) })).toBe(member.uid);
      expect(await enterCode(owner, computeAppCode(owner.secret))).toBe('in');
      const newcomer = await archive.signUp();
      await newcomer.device.call('POST /api/identity/verification');
      // Wrong passwords until the account is locked, then the nightly jobs.
      const stranger = archive.openDevice();
      for (let attempt = 0; attempt < 6; attempt++)
        await stranger.ask('POST /api/identity/sign-in', { body: { email: member.email, password: 'wrong one' } });
      await cleanUp();
      const queued = `waits-${crypto.randomUUID()}@mail.example`;
      await passwordChangedJob.queue(archive.context.db, { email: queued });

      const before = jumps();
      await resetClocks();
      if (wrong.database) await expect.poll(jumps, { timeout: 30_000 }).toBe(before + 1);
      await recreateQueue(archive.context.db);
      await archive.runJobs();
      await archive.inbox.next(queued, /password/iu);

      expect(await findSignedInUser(member)).toBe(member.uid);
      expect(await findSignedInUser({ ...member, device: await signIn(member) })).toBe(member.uid);
      expect(await enterCode(owner, computeAppCode(owner.secret, 1))).toBe('in');
      const sender = (await findSignedInUser(newcomer)) === null ? await signIn(newcomer) : newcomer.device;
      const resent = await sender.ask('POST /api/identity/verification');
      if (resent.statusCode >= 400)
        expect(resent.json<{ retryAfter?: number }>().retryAfter).toBeLessThanOrEqual(resendCooldownSeconds);
      const answer = await stranger.ask('POST /api/identity/sign-in', {
        body: { email: member.email, password: member.password },
      });
      expect(answer.json<{ retryAfter?: number }>().retryAfter ?? 0).toBeLessThanOrEqual(5 * 60);
      const { items } = await member.device.call('GET /api/users', { query: {} });
      expect(items.map(({ id }) => id)).toContain(member.uid);
      const found = await member.device.call('GET /api/search', { query: { q: member.document.name.last } });
      expect(found.items.map(({ id }) => id)).toContain(member.uid);
    });
    const errors = archive.logged
      .slice(firstLine)
      .filter((line) => (JSON.parse(line) as { level: number }).level >= 50);
    expect(errors).toEqual([]);
  });
});

describe('after the clock was ahead', () => {
  const ahead: Jump = { by: '1 year', ahead: true, database: true, process: true };

  test('a password entered during that time does not count as recent', async () => {
    const member = await archive.createMember();
    await jump(ahead);
    const device = await signIn(member);
    await resetClocks();
    expect(await device.code('DELETE /api/identity/account')).toBe('auth/requires-recent-login');
    await device.call('POST /api/identity/reauthenticate', { body: { password: member.password } });
    await device.call('DELETE /api/identity/account');
  });

  test('each code of an authenticator app still works only once', async () => {
    const owner = await createMemberWithApp(archive);
    const now = computeAppCode(owner.secret);
    expect(await enterCode(owner, now)).toBe('in');
    await jump(ahead);
    const then = computeAppCode(owner.secret);
    expect(await enterCode(owner, then)).toBe('in');
    await resetClocks();
    expect(await enterCode(owner, now), 'used before').toBe('auth/invalid-verification-code');
    expect(await enterCode(owner, computeAppCode(owner.secret, 1)), 'the next code').toBe('in');
    await jump(ahead);
    expect(await enterCode(owner, then), 'used while the clock was ahead').toBe('auth/invalid-verification-code');
  });
});

describe('the nightly jobs', () => {
  test('delete nothing for a day after a clock jump', async () => {
    const member = await archive.createMember();
    const sessions = async () =>
      (await archive.pool.query('select from sessions where account_id = $1', [member.uid])).rowCount;
    await recordClock(archive.context.db);
    await shiftDatabase('1 year');
    await cleanUp();
    expect(await sessions(), 'before the clock was checked').toBe(1);
    await recordClock(archive.context.db);
    await archive.advanceTime('13 hours');
    await cleanUp();
    expect(await sessions()).toBe(1);
    await archive.advanceTime('13 hours');
    await cleanUp();
    expect(await sessions()).toBe(0);
  });

  const simulateDowntime = (interval: string) =>
    archive.pool.query('update clock set seen_at = seen_at - $1::interval', [interval]);

  test('are not postponed because the server was off overnight', async () => {
    const { db } = archive.context;
    await recordClock(db);
    await simulateDowntime('20 hours');
    await recordClock(db);
    expect(await isClockSteady(db)).toBe(true);
    await simulateDowntime('25 hours');
    await recordClock(db);
    expect(await isClockSteady(db)).toBe(false);
  });
});

describe('watchClock', () => {
  test('logs forward and backward jumps of the clock', { tags: ['asvs-16.2.2'] }, async () => {
    await withClockWatch(async ({ log }) => {
      await shiftDatabase('1 year');
      await expect.poll(log).toContain('jumped forward');
      // The jump is recorded after it is logged.
      const isRecorded = async () => {
        const { rows } = await archive.pool.query(
          `select seen_at > pg_catalog.now() + interval '300 days' as is_recorded from clock`,
        );
        return rows[0]?.is_recorded as boolean;
      };
      await expect.poll(isRecorded).toBe(true);
      await shiftDatabase('0');
      await expect.poll(log).toContain('jumped backward');
    });
  });

  test('logs nothing while the clock is correct', async () => {
    await recordClock(archive.context.db);
    await withClockWatch(async ({ log }) => {
      await archive.createMember();
      expect(log()).toBe('');
    });
  });
});

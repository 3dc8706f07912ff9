import { createHash, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { termsVersion as terms } from '#contract/terms.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { findCode } from '#server/testing/inbox.ts';

/* Rate limits that stop attackers without affecting other people. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), { SIGN_UP_MAILS_PER_HOUR: '1000' });
});
afterAll(() => archive.close());

const password = 'a long enough word';

function neighbourOf({ ip }: Device): Device {
  const device = archive.openDevice();
  device.ip = ip;
  return device;
}

async function repeat(times: number, ask: (time: number) => Promise<{ statusCode: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let time = 0; time < times; time += 10) {
    const some = Array.from({ length: Math.min(10, times - time) }, (_, index) => ask(time + index));
    for (const { statusCode } of await Promise.all(some)) statuses.push(statusCode);
  }
  return statuses;
}

const signInTo = (device: Device, email: string, typed = 'a wrong password') =>
  device.ask('POST /api/identity/sign-in', { body: { email, password: typed } });
const signUpWith = (device: Device, email: string) =>
  device.ask('POST /api/identity/sign-up', { body: { email, password, terms } });

describe('rate limits for people behind one IP address', () => {
  test('accept a valid link after someone else has tried many invalid ones', { tags: ['asvs-6.6.3'] }, async () => {
    const { email, device } = await archive.signUp();
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(email, 'Verify your email address'));
    const attacker = neighbourOf(device);
    const answers = await repeat(201, () =>
      attacker.ask('POST /api/identity/action-code/check', { body: { code: randomBytes(32).toString('base64url') } }),
    );
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
    await device.call('POST /api/identity/action-code/apply', { body: { code } });
  });

  test('let a known device sign in after someone else has failed many times', { tags: ['asvs-6.3.1'] }, async () => {
    const owner = await archive.signUp();
    await owner.device.call('POST /api/identity/sign-out');
    const attacker = neighbourOf(owner.device);
    await repeat(6, () => signInTo(attacker, owner.email));
    await repeat(100, (time) => signInTo(attacker, `nobody${time}@mail.example`));
    expect((await signInTo(neighbourOf(owner.device), owner.email, owner.password)).statusCode).toBe(429);
    expect((await signInTo(owner.device, owner.email, owner.password)).statusCode).toBe(200);
  });

  test('do not count refused sign-ups as sign-ups', async () => {
    const { email, device } = await archive.signUp();
    const attacker = neighbourOf(device);
    const answers = await repeat(301, () => signUpWith(attacker, email));
    expect(answers.filter((status) => status === 409)).toHaveLength(300);
    expect(answers.filter((status) => status === 429)).toHaveLength(1);
    expect((await signUpWith(neighbourOf(device), 'neighbour@mail.example')).statusCode).toBe(200);
  });

  test('do not reveal whether an email address is taken once sign-ups are refused', async () => {
    const { email, device } = await archive.signUp();
    const answers = await repeat(60, (time) => signUpWith(neighbourOf(device), `crowd${time}@mail.example`));
    expect(answers.filter((status) => status === 200)).toHaveLength(59);
    const [free, taken] = [await signUpWith(device, 'free@mail.example'), await signUpWith(device, email)];
    const { retryAfter: _, ...expected } = free.json<{ retryAfter: number }>();
    expect(expected).toMatchObject({ code: 'auth/too-many-requests' });
    expect(taken.json()).toMatchObject(expected);
  });
});

describe('rate limits and password hashing', () => {
  test('refuse a sign-in above the session limit before its password is checked', async () => {
    const { email, device, uid } = await archive.signUp();
    const { db, limiter, passwordHasher } = archive.context;
    const token = device.cookies.get('device') ?? '';
    await repeat(120, async () => {
      await limiter.requireAttempt(db, 'sessionsByAccount', uid);
      await limiter.requireAttempt(db, 'sessionsByDevice', uid, token);
      return { statusCode: 200 };
    });
    const verify = vi.spyOn(passwordHasher, 'verify');
    try {
      expect((await signInTo(archive.openDevice(), email, password)).statusCode).toBe(429);
      expect((await signInTo(device, email, password)).statusCode).toBe(429);
      expect(verify).not.toHaveBeenCalled();
    } finally {
      verify.mockRestore();
    }
  });

  test('give priority in password checks only to known devices of verified accounts', async () => {
    const visitors = [await archive.signUp(), await archive.signUpVerified()];
    const verify = vi.spyOn(archive.context.passwordHasher, 'verify');
    try {
      for (const { email, device } of visitors) expect((await signInTo(device, email, password)).statusCode).toBe(200);
      expect(verify.mock.calls.map(([, , options]) => options?.isUrgent)).toEqual([false, true]);
    } finally {
      verify.mockRestore();
    }
  });

  test('refuse a sign-up above the mail limit before its password is hashed', async () => {
    const { device } = await archive.signUp();
    const hash = vi.spyOn(archive.context.passwordHasher, 'hash');
    try {
      for (let tag = 0; tag < 20; tag++) await signUpWith(device, `hashed+${tag}@mail.example`);
      expect(hash).toHaveBeenCalledTimes(10);
    } finally {
      hash.mockRestore();
    }
  });

  test('do not count a sign-up that an overloaded server refuses', async () => {
    const { device } = await archive.signUp();
    const { db, limiter, passwordHasher } = archive.context;
    // Together with the sign-up above, one less than the limit of this IP address.
    for (let time = 0; time < 58; time++) await limiter.requireAttempt(db, 'signUpByAddress', networksOf(device.ip));
    // Fills the hashing queue on any machine: each finished hash is replaced immediately.
    const ending = new AbortController();
    const work = Array.from({ length: 64 + Math.max(1, availableParallelism() - 1) }, async () => {
      while (!ending.signal.aborted) await passwordHasher.hash(password);
    });
    expect((await signUpWith(device, 'busy@mail.example')).statusCode).toBe(503);
    ending.abort();
    await Promise.all(work);
    expect((await signUpWith(device, 'busy@mail.example')).statusCode).toBe(200);
  });
});

describe('rate limits for networks and mailboxes', () => {
  test('do not count an attempt for a network if the limit of the larger network refuses it', async () => {
    const { email } = await archive.signUp();
    const from = (subnet: number) => {
      const device = archive.openDevice();
      device.ip = `2001:db8:78:a0${subnet}::1`;
      return signInTo(device, email);
    };
    expect(await repeat(20, (time) => from(time % 4))).toEqual(Array(20).fill(401));
    await archive.advanceTime('4 minutes');
    expect(await repeat(5, () => from(4))).toEqual(Array(5).fill(429));
    await archive.advanceTime('2 minutes');
    expect((await from(4)).statusCode).toBe(401);
  });

  test('keep one network from using up all sign-up emails', async () => {
    const { device } = await archive.signUp();
    const crowd = Array.from({ length: 50 }, () => neighbourOf(device));
    const signUps = await repeat(50, (time) => signUpWith(crowd[time] ?? device, `mails${time}@mail.example`));
    expect(signUps).toEqual(Array(50).fill(200));
    const resend = (account: Device) => account.ask('POST /api/identity/verification');
    const moveTo = (account: Device, email: string) => account.ask('POST /api/identity/email', { body: { email } });
    expect(await repeat(49, (time) => resend(crowd[time] ?? device))).toEqual(Array(49).fill(200));
    expect((await resend(device)).statusCode).toBe(429);
    expect((await signUpWith(neighbourOf(device), 'mails@mail.example')).statusCode).toBe(429);
    expect((await moveTo(device, 'mails@mail.example')).statusCode).toBe(429);
    expect((await signUpWith(archive.openDevice(), 'mails@mail.example')).statusCode).toBe(200);
  });

  test('keep a /48 network from using up all sign-up emails', async () => {
    const { db, limiter } = archive.context;
    const networks = (time: number) => networksOf(`2001:db8:79:${(time % 200).toString(16)}00::1`);
    const waits: number[] = [];
    for (let time = 0; time < 501; time++)
      waits.push(await limiter.countAttempt(db, 'signUpMailsByAddress', networks(time)));
    expect(waits.slice(0, 500).every((wait) => wait === 0)).toBe(true);
    expect(waits[500]).toBeGreaterThan(0);
  });

  test('give the subnets of one IPv6 site a shared, larger limit', { tags: ['asvs-6.3.1'] }, async () => {
    const { email } = await archive.signUp();
    const from = async (subnet: string) => {
      const device = archive.openDevice();
      device.ip = `2001:db8:77:${subnet}::1`;
      return (await signInTo(device, email)).statusCode;
    };
    const statuses: number[] = [];
    for (let subnet = 0; subnet < 5; subnet++)
      for (let time = 0; time < 5; time++) statuses.push(await from(`a0${subnet}`));
    expect(statuses).toEqual([...Array<number>(20).fill(401), ...Array<number>(5).fill(429)]);
    expect(await from('b00')).toBe(401);
  });

  test('count tagged addresses (name+tag@) as one mailbox, but allow an account for each', async () => {
    const statuses: number[] = [];
    for (let tag = 0; tag < 11; tag++)
      statuses.push((await signUpWith(archive.openDevice(), `flooded+${tag}@mail.example`)).statusCode);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    expect((await signUpWith(archive.openDevice(), 'other+1@mail.example')).statusCode).toBe(200);
  });

  test('limit the sign-up emails of the installation per hour, and return the time until the next one', async () => {
    const small = await openArchive(inject('databases'), { SIGN_UP_MAILS_PER_HOUR: '3' });
    try {
      const { email, device } = await small.signUp();
      await small.signUp();
      await device.call('POST /api/identity/verification');
      const codes = [];
      for (const address of ['late@mail.example', email]) {
        const refused = await signUpWith(small.openDevice(), address);
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
        codes.push(refused.json<{ code: string }>().code);
      }
      await small.advanceTime('3 minutes');
      codes.push(await device.code('POST /api/identity/verification'));
      expect(codes).toEqual(Array(3).fill('sign-up/too-many-requests'));
      expect(await small.context.metrics.text()).toContain('limit="signUpMails",process="main"} 3');
      await small.advanceTime('1 hour');
      expect((await signUpWith(small.openDevice(), 'late@mail.example')).statusCode).toBe(200);
    } finally {
      await small.close();
    }
  });
});

test(
  'POST /api/identity/reauthenticate allows fifty wrong passwords a day, without counting correct ones',
  { tags: ['asvs-6.3.1'] },
  async () => {
    const owner = await archive.signUp();
    const type = (typed: string) =>
      owner.device.ask('POST /api/identity/reauthenticate', { body: { password: typed } });
    for (let round = 0; round < 5; round++) {
      expect((await type(owner.password)).statusCode).toBe(204);
      expect(await repeat(10, () => type('a wrong password'))).toEqual(Array(10).fill(401));
      await archive.advanceTime('5 minutes 1 second');
    }
    const refused = await type(owner.password);
    expect(refused.statusCode).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(20 * 60 * 60);
    await archive.advanceTime('1 day');
    expect((await type(owner.password)).statusCode).toBe(204);
  },
);

test('the table of rate limits contains no personal data, because its keys are HMACs with a secret of the installation', async () => {
  const owner = await archive.signUp();
  const attacker = archive.openDevice();
  await signInTo(attacker, owner.email);
  const digests = async ({ pool }: TestArchive) => {
    const { rows } = await pool.query<{ digest: string }>(
      `select substring(key from '[^:]*$') as digest from (select key from throttles union all select key from long_throttles) as counters`,
    );
    return rows.map(({ digest }) => digest);
  };
  const plain = (...subject: string[]) => createHash('sha256').update(JSON.stringify(subject)).digest('base64url');
  const guesses = new Set([plain(owner.email), plain(attacker.ip), plain(owner.email, attacker.ip), plain(owner.uid)]);
  const found = await digests(archive);
  expect(found.length).toBeGreaterThan(2);
  expect(found.filter((digest) => guesses.has(digest))).toEqual([]);
  // The same attempts have different keys in another installation.
  const other = await openArchive(inject('databases'));
  try {
    const twin = other.openDevice();
    twin.ip = attacker.ip;
    await signInTo(twin, owner.email);
    expect((await digests(other)).filter((digest) => found.includes(digest))).toEqual([]);
  } finally {
    await other.close();
  }
});

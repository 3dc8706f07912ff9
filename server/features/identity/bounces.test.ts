import { strFromU8, unzipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { type TestArchive, type Visitor, openArchive } from '#server/testing/archive.ts';
import { findQueued } from '#server/testing/jobs.ts';
import { findCode } from '#server/testing/inbox.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterEach(() => archive.inbox.simulateFault(null));
afterAll(() => archive.close());

const gone = '550 5.1.1 User unknown';

const undelivered = async ({ device }: Pick<Visitor, 'device'>) =>
  (await device.call('GET /api/identity/verification')).undelivered;

const answer = (to: string, does = gone) => archive.inbox.simulateFault({ at: 'recipient', does, to });

const waiting = async () =>
  (await findQueued(archive.context.db)).filter(({ data, state }) => data.name.endsWith('-mail') && state !== 'failed')
    .length;

async function bounced(): Promise<Visitor> {
  const visitor = await archive.signUpVerified();
  answer(visitor.email);
  await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: visitor.email } });
  await archive.runJobs();
  expect(await undelivered(visitor)).toEqual({ email: visitor.email, fault: 'no-mailbox' });
  return visitor;
}

describe('an address that its mail server refuses permanently', () => {
  test('is shown to its owner, is not tried again and is not logged', async () => {
    const email = 'no-such-person@mail.example';
    const visitor = await archive.signUp(email);
    expect(await undelivered(visitor)).toBe(null);
    answer(email);
    const { length } = archive.logged;
    await archive.runJobs();
    expect(await undelivered(visitor)).toEqual({ email, fault: 'no-mailbox' });
    expect(await waiting()).toBe(0);
    const lines = archive.logged.slice(length).map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(lines.filter(({ msg }) => msg.startsWith('Job'))).toEqual([
      expect.objectContaining({
        level: 40,
        msg: 'Job failed permanently',
        reason: 'The mail server permanently refused the address.',
      }),
    ]);
    expect(JSON.stringify(lines)).not.toContain('no-such-person');
  });

  test.each([
    ['450 4.2.0 Come back later', 1],
    ['552 5.2.2 Mailbox full', 1],
    ['554 5.7.1 Client host blocked', 1],
    ['550 5.2.1 Mailbox disabled', 0],
  ])('is recognized correctly for the reply %s', async (does, left) => {
    const visitor = await archive.signUp();
    answer(visitor.email, does);
    await archive.runJobs();
    expect(await waiting()).toBe(left);
    expect(await undelivered(visitor)).toEqual(left === 0 ? { email: visitor.email, fault: 'closed' } : null);
    archive.inbox.simulateFault(null);
    await archive.advanceTime('1 hour');
    await archive.runJobs();
  });

  test('is no longer marked as undeliverable after the owner changes it', async () => {
    const visitor = await archive.signUp();
    answer(visitor.email);
    await archive.runJobs();
    await visitor.device.call('POST /api/identity/email', { body: { email: `right-${visitor.email}` } });
    expect(await undelivered(visitor)).toBe(null);
    const { rows } = await archive.pool.query('select mail_failed_to from accounts where id = $1', [visitor.uid]);
    expect(rows).toEqual([{ mail_failed_to: null }]);
  });

  test('is no longer marked as undeliverable after it accepts a later email', async () => {
    const visitor = await archive.signUp();
    answer(visitor.email);
    await archive.runJobs();
    expect(await undelivered(visitor)).not.toBe(null);
    archive.inbox.simulateFault(null);
    await visitor.device.call('POST /api/identity/verification');
    await archive.runJobs();
    expect(await undelivered(visitor)).toBe(null);
  });

  test('is no longer marked as undeliverable after the owner follows an emailed link', async () => {
    const visitor = await archive.signUp();
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(visitor.email, 'Verify your email address'));
    answer(visitor.email);
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: visitor.email } });
    await archive.runJobs();
    expect(await undelivered(visitor)).not.toBe(null);
    await visitor.device.call('POST /api/identity/action-code/apply', { body: { code } });
    expect(await undelivered(visitor)).toBe(null);
  });

  test('can be tested again by its owner if it was verified earlier', async () => {
    const visitor = await bounced();
    archive.inbox.simulateFault(null);
    expect(await visitor.device.call('POST /api/identity/verification')).toEqual({ retryAfter: 179 });
    expect(await visitor.device.code('POST /api/identity/verification')).toBe('auth/too-many-requests');
    await archive.runJobs();
    await archive.inbox.next(visitor.email, 'Your email address works again');
    expect(await undelivered(visitor)).toBe(null);
    await archive.advanceTime('1 hour');
    expect(await visitor.device.call('POST /api/identity/verification')).toEqual({ retryAfter: 0 });
  });

  test('is also shown if it is the new address of a pending change, until the change is cancelled', async () => {
    const visitor = await archive.signUpVerified();
    const wished = `new-${visitor.email}`;
    await visitor.device.call('POST /api/identity/email', { body: { email: wished } });
    answer(wished);
    await archive.runJobs();
    expect(await undelivered(visitor)).toEqual({ email: wished, fault: 'no-mailbox' });
    await visitor.device.call('POST /api/identity/email', { body: { email: `newer-${visitor.email}` } });
    expect(await undelivered(visitor)).toBe(null);
  });

  test('does not affect the new address after a change of address', async () => {
    const visitor = await archive.signUp();
    await visitor.device.call('POST /api/identity/email', { body: { email: `right-${visitor.email}` } });
    answer(visitor.email);
    await archive.runJobs();
    expect(await undelivered(visitor)).toBe(null);
  });
});

describe('a failed email', () => {
  test('is not revealed by a password reset request', async () => {
    const { email } = await bounced();
    const stranger = archive.openDevice();
    const ask = (of: string) => stranger.ask('POST /api/identity/password-reset', { body: { email: of } });
    const [known, unknown] = [await ask(email), await ask('nobody-at-all@mail.example')];
    expect([known.statusCode, known.body]).toEqual([unknown.statusCode, unknown.body]);
    expect(await stranger.code('GET /api/identity/verification')).toBe('auth/unauthenticated');
  });

  test('looks to other members as if the owner had turned off messages, until an email is delivered', async () => {
    const [ada, ben, carol] = [
      await archive.createMember(),
      await archive.createMember(),
      await archive.createMember(),
    ];
    const contact = (of: { uid: string }) => ada.device.call('GET /api/users/{id}/contact', { params: { id: of.uid } });
    const write = (to: { uid: string }) =>
      ada.device.problem('POST /api/users/{id}/messages', {
        params: { id: to.uid },
        body: { text: 'Hello', shareEmail: false },
      });
    answer(ben.email);
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: ben.email } });
    await archive.runJobs();
    await carol.device.call('PUT /api/contact/choices', { body: { takesMessages: false } });
    expect(await contact(ben)).toEqual(await contact(carol));
    const { instance: _, ...refused } = (await write(ben)) as unknown as Record<string, unknown>;
    const { instance: __, ...off } = (await write(carol)) as unknown as Record<string, unknown>;
    expect(refused).toEqual(off);
    archive.inbox.simulateFault(null);
    await archive.advanceTime('1 hour');
    await ben.device.call('POST /api/identity/verification');
    await archive.runJobs();
    expect(await contact(ben)).not.toEqual(await contact(carol));
  });

  test('is listed in the data download', async () => {
    const visitor = await bounced();
    const { rawPayload } = await visitor.device.fetch('GET', `/api/users/${visitor.uid}/export`);
    const { 'account.json': account = new Uint8Array() } = unzipSync(rawPayload);
    expect(JSON.parse(strFromU8(account))).toMatchObject({
      mailCouldNotBeDelivered: { to: visitor.email, since: expect.any(String) as string },
    });
  });
});

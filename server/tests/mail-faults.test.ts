import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { reportUndeliveredJob } from '#server/features/contact/jobs.ts';
import { hourlyCleanUpJob } from '#server/features/identity/jobs.ts';
import { type Member, openArchive, type TestArchive } from '#server/testing/archive.ts';
import { findQueued } from '#server/testing/jobs.ts';
import { findCode, type MailFault } from '#server/testing/inbox.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import { addPasskey } from '#server/testing/second-factor.ts';

/*
 * After any fault of a mail server, every kind of mail is delivered. Copies have the same Message-ID, so that a mailbox
 * shows one, and the link in each copy works.
 */

let archive: TestArchive;
let [ada, ben] = [] as unknown as [Member, Member];
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  [ada, ben] = [await archive.createMember(), await archive.createMember()];
});
afterEach(() => archive.inbox.simulateFault(null));
afterAll(() => archive.close());

interface Expected {
  readonly to: string;
  readonly subject: string | RegExp;
  readonly mode?: string;
}

const apply = (code: string) => archive.openDevice().call('POST /api/identity/action-code/apply', { body: { code } });

async function requestNewEmail() {
  const visitor = await archive.signUpVerified();
  const newEmail = `new-${visitor.email}`;
  await visitor.device.call('POST /api/identity/email', { body: { email: newEmail } });
  await archive.runJobs();
  return { ...visitor, newEmail, code: findCode(await archive.inbox.next(newEmail, 'Confirm your new email address')) };
}

async function prepareUsers(): Promise<() => Promise<Expected[]>> {
  const moving = await requestNewEmail();
  const robbed = await requestNewEmail();
  await apply(robbed.code);
  await archive.runJobs();
  const recovery = findCode(await archive.inbox.next(robbed.email, 'Your email address was changed'));
  const [wishing, changing, returning, back, leaving] = [
    await archive.signUpVerified(),
    await archive.signUpVerified(),
    await archive.signUpVerified(),
    await archive.signUpVerified(),
    await archive.signUpVerified(),
  ];
  await archive.pool.query(
    `update accounts set mail_failed_at = now(), mail_failed_to = email, mail_fault = 'no-mailbox' where id = $1`,
    [returning.uid],
  );
  return async () => {
    const newcomer = await archive.signUp();
    await wishing.device.call('POST /api/identity/email', { body: { email: `new-${wishing.email}` } });
    await apply(moving.code);
    await apply(recovery);
    await changing.device.call('POST /api/identity/password', { body: { password: 'another long word' } });
    const { email, password } = back;
    await archive.openDevice().call('POST /api/identity/sign-in', { body: { email, password } });
    await addPasskey(changing.device, new SoftPasskey());
    await leaving.device.call('DELETE /api/identity/account');
    await returning.device.call('POST /api/identity/verification');
    const params = { id: ben.uid };
    await ada.device.call('POST /api/users/{id}/messages', { params, body: { text: 'Hello', shareEmail: false } });
    return [
      { to: newcomer.email, subject: 'Verify your email address', mode: 'verifyEmail' },
      { to: `new-${wishing.email}`, subject: 'Confirm your new email address', mode: 'verifyAndChangeEmail' },
      { to: moving.email, subject: 'Your email address was changed', mode: 'recoverEmail' },
      { to: robbed.newEmail, subject: 'Your address was removed from an account' },
      { to: robbed.email, subject: 'Choose a new password', mode: 'resetPassword' },
      { to: changing.email, subject: 'Your password was changed' },
      { to: back.email, subject: 'New sign-in to your account' },
      { to: changing.email, subject: 'A passkey was added' },
      { to: leaving.email, subject: 'Your account was deleted' },
      { to: returning.email, subject: 'Your email address works again' },
      { to: ben.email, subject: /wrote to you in the alumni archive$/u },
    ];
  };
}

const countWaiting = async () =>
  (await findQueued(archive.context.db)).filter(({ data, state }) => data.name.endsWith('-mail') && state !== 'failed')
    .length;

const findCopies = (since: number, { to, subject }: Expected) =>
  archive.inbox
    .all()
    .slice(since)
    .filter(
      (mail) => mail.to === to && (typeof subject === 'string' ? mail.subject === subject : subject.test(mail.subject)),
    );

async function expectEachOnce(expected: Expected[], since: number): Promise<number> {
  const arrived = archive.inbox.all().slice(since);
  expect(new Set(arrived.map(({ messageId }) => messageId)).size, 'different Message-IDs').toBe(expected.length);
  for (const one of expected) {
    const copies = findCopies(since, one);
    expect([one.subject, new Set(copies.map(({ messageId }) => messageId)).size]).toEqual([one.subject, 1]);
    for (const copy of one.mode ? copies : []) {
      const answer = await archive
        .openDevice()
        .call('POST /api/identity/action-code/check', { body: { code: findCode(copy) } });
      expect([one.subject, answer.mode]).toEqual([one.subject, one.mode]);
    }
  }
  return arrived.length;
}

const runAllJobs = () =>
  expect
    .poll(
      async () => {
        await archive.advanceTime('10 minutes');
        await archive.runJobs();
        return countWaiting();
      },
      { timeout: 60_000, interval: 500 },
    )
    .toBe(0);

type Fault = [title: string, trouble: MailFault, copies: number];

const faults: Fault[] = [
  ['greeted with a temporary refusal', { at: 'greeting', does: '421 4.3.2 Not now' }, 1],
  ['refused the recipient temporarily (greylisting)', { at: 'recipient', does: '450 4.2.0 Come back later' }, 1],
  ['refused the client by a block list', { at: 'recipient', does: '554 5.7.1 Client host blocked' }, 1],
  ['closed the connection within the text', { at: 'text', does: 'drop' }, 1],
  ['refused the text permanently by mistake', { at: 'dot', does: '554 5.7.1 Looks like spam' }, 1],
  ['stored the mail and closed the connection before its reply', { at: 'stored', does: 'drop' }, 2],
];
const otherFaults: Fault[] = [
  ['closed the connection before its greeting', { at: 'greeting', does: 'drop' }, 1],
  ['refused the sender temporarily', { at: 'sender', does: '451 4.3.0 Not now' }, 1],
  ['refused the sender permanently by mistake', { at: 'sender', does: '553 5.1.8 Who are you?' }, 1],
  ['closed the connection after the sender', { at: 'sender', does: 'drop' }, 1],
  ['closed the connection after the recipient', { at: 'recipient', does: 'drop' }, 1],
  ['refused the text temporarily', { at: 'dot', does: '452 4.3.1 Disk full' }, 1],
  ['closed the connection after the text without storing it', { at: 'dot', does: 'drop' }, 1],
];

async function expectDelivery(...[, trouble, copies]: Fault): Promise<void> {
  const cause = await prepareUsers();
  const before = archive.inbox.all().length;
  const expected = await cause();
  archive.inbox.simulateFault(trouble);
  await archive.runJobs();
  expect(archive.inbox.countFaults()).toBeGreaterThan(0);
  expect(await countWaiting(), 'all mails are queued').toBe(expected.length);
  archive.inbox.simulateFault(null);
  await runAllJobs();
  expect(await expectEachOnce(expected, before)).toBe(copies * expected.length);
  await archive.advanceTime('1 day');
}

describe('mail delivery', () => {
  test.each(faults)(
    'sends each mail under one Message-ID after the mail server %s',
    { tags: ['asvs-16.5.2'] },
    expectDelivery,
  );

  test.each(otherFaults)(
    'sends each mail under one Message-ID after the mail server %s',
    { tags: ['release'] },
    expectDelivery,
  );

  test('sends each mail under one Message-ID after the mail server was down', { tags: ['asvs-16.5.2'] }, async () => {
    const cause = await prepareUsers();
    const before = archive.inbox.all().length;
    const expected = await cause();
    await archive.inbox.stop();
    await archive.runJobs();
    expect(await countWaiting(), 'all mails are queued').toBe(expected.length);
    await archive.inbox.restart();
    await runAllJobs();
    expect(await expectEachOnce(expected, before)).toBe(expected.length);
    await archive.advanceTime('1 day');
  });

  test(
    'sends each mail under one Message-ID after the mail server was down for four days',
    { tags: ['release'] },
    async () => {
      const cause = await prepareUsers();
      const before = archive.inbox.all().length;
      const expected = await cause();
      await archive.inbox.stop();
      // Covers all attempts, and the scheduled jobs in between.
      for (let round = 0; round < 14; round++) {
        await archive.runJobs();
        await archive.advanceTime('7 hours');
        for (const job of [reportUndeliveredJob, hourlyCleanUpJob]) await job.queue(archive.context.db, {});
      }
      await archive.runJobs();
      expect(await countWaiting(), 'all mails are queued').toBe(expected.length);
      await archive.inbox.restart();
      await runAllJobs();
      expect(await expectEachOnce(expected, before)).toBe(expected.length);
      await archive.advanceTime('1 day');
    },
  );
});

describe('an action link that was delivered twice', () => {
  async function receiveTwice(expected: Expected): Promise<string[]> {
    const before = archive.inbox.all().length;
    archive.inbox.simulateFault({ at: 'stored', does: 'drop', to: expected.to, times: 1 });
    await archive.runJobs();
    await runAllJobs();
    const codes = findCopies(before, expected).map(findCode);
    expect(new Set(codes).size, 'two copies with different codes').toBe(2);
    return codes;
  }
  const applyCode = (code: string) =>
    archive.openDevice().code('POST /api/identity/action-code/apply', { body: { code } });

  test.each([0, 1])('verifies the address with copy %i, and still accepts the other copy', async (chosen) => {
    const { email, device } = await archive.signUp();
    const codes = await receiveTwice({ to: email, subject: 'Verify your email address' });
    await apply(codes[chosen] ?? '');
    expect((await device.call('GET /api/identity/session')).user).toMatchObject({ emailVerified: true });
    await apply(codes[1 - chosen] ?? '');
  });

  test.each([0, 1])('resets the password with copy %i, and rejects the other copy', async (chosen) => {
    const { email } = await archive.signUpVerified();
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email } });
    const codes = await receiveTwice({ to: email, subject: 'Choose a new password' });
    const confirm = (code = '') =>
      archive
        .openDevice()
        .ask('POST /api/identity/password-reset/confirm', { body: { code, password: 'another long word' } });
    expect((await confirm(codes[chosen])).statusCode).toBe(204);
    expect((await confirm(codes[1 - chosen])).json()).toMatchObject({ code: 'auth/invalid-action-code' });
  });

  test.each([0, 1])('restores the account once, with copy %i', async (chosen) => {
    const { code, email } = await requestNewEmail();
    await apply(code);
    const codes = await receiveTwice({ to: email, subject: 'Your email address was changed' });
    await apply(codes[chosen] ?? '');
    for (const used of codes) expect(await applyCode(used)).toBe('auth/invalid-action-code');
  });

  test('is invalid in both copies after a newer mail was requested', async () => {
    const { device, email } = await archive.signUp();
    const older = await receiveTwice({ to: email, subject: 'Verify your email address' });
    const before = archive.inbox.all().length;
    await device.call('POST /api/identity/verification');
    await archive.runJobs();
    for (const code of older) expect(await applyCode(code)).toBe('auth/invalid-action-code');
    const [newer = ''] = archive.inbox.all().slice(before).map(findCode);
    await apply(newer);
  });
});

import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fieldLengths } from '#contract/field-lengths.ts';
import { maxBlocksPerAccount } from '#contract/quotas.ts';
import { openArchive, type Member, type TestArchive, type Visitor } from '#server/testing/archive.ts';
import { exhaustQueued } from '#server/testing/jobs.ts';
import { findFailedJobs } from '#server/platform/jobs/failed-jobs.ts';
import { deleteOldMessagesJob, reportUndeliveredJob } from './jobs.ts';
import type { ArrivedMail } from '#server/testing/inbox.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const subject = /wrote to you in the alumni archive$/u;

const write = (from: Visitor, to: { uid: string }, text = 'Are you coming to the reunion?', shareEmail = false) =>
  from.device.ask('POST /api/users/{id}/messages', { params: { id: to.uid }, body: { text, shareEmail } });
const contactOf = ({ device }: Visitor, { uid: id }: { uid: string }) =>
  device.call('GET /api/users/{id}/contact', { params: { id } });
const block = ({ device }: Visitor, { uid: id }: { uid: string }) =>
  device.call('PUT /api/blocks/{id}', { params: { id } });
const unblock = ({ device }: Visitor, { uid: id }: { uid: string }) =>
  device.call('DELETE /api/blocks/{id}', { params: { id } });
const setMessages = ({ device }: Visitor, takesMessages: boolean) =>
  device.call('PUT /api/contact/choices', { body: { takesMessages } });
const setPrivacy = (
  { device, uid: id }: Visitor,
  body: { isHidden?: boolean; visibility?: { name?: 'me'; picture?: 'me'; email?: 'me' | 'members' } },
) => device.call('PUT /api/users/{id}/privacy', { params: { id }, body: { ...body, version: 'any' } });

async function receiveMail(to: Visitor): Promise<ArrivedMail> {
  await archive.runJobs();
  return archive.inbox.next(to.email, subject);
}

async function expectNothingFor(to: Visitor): Promise<void> {
  await archive.runJobs();
  expect(archive.inbox.to(to.email).filter((mail) => subject.test(mail.subject))).toEqual([]);
}

const nameOf = ({ document: { name } }: Member) => [name.first, name.middle, name.last].join(' ');

const decodeMail = ({ raw, text, html, subject }: ArrivedMail) =>
  [raw, raw.replaceAll(/=\r?\n/gu, ''), text, html, subject].join('\n').toLowerCase();

describe('the email for a message', () => {
  test('is sent once from the site’s address, as text and HTML, and contains a reply link', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    expect((await write(ada, ben, 'First line\n\nSecond & <last>')).statusCode).toBe(204);
    const mail = await receiveMail(ben);
    expect(mail.subject).toBe('A member wrote to you in the alumni archive');
    expect(mail.text).toContain(`\nName on their profile: ${nameOf(ada)}\n`);
    expect(mail.text).toContain('The archive never asks for a password, a code, money or bank details in a message.');
    expect(mail.from).toBe('archive@test.example');
    expect(mail.text).toContain('> First line\n> \n> Second & <last>');
    expect(mail.html).toContain('First line<br><br>Second &#38; &#60;last&#62;');
    const profile = `http://localhost:3000/user/${ada.uid}`;
    expect(mail.text).toContain(`${profile}?write\n`);
    expect(mail.html).toContain(`href="${profile}?write"`);
    expect(mail.html).toContain(`href="${profile}"`);
    await expectNothingFor(ben);
  });

  test('does not contain the sender’s address, and prevents automatic replies', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const answer = await write(ada, ben);
    expect(answer.body).toBe('');
    expect(JSON.stringify(answer.headers)).not.toContain(ben.email);
    const mail = await receiveMail(ben);
    expect(mail.replyTo).toBeUndefined();
    expect(mail.raw).not.toMatch(/^reply-to:/imu);
    expect(mail.raw).toMatch(/^auto-submitted: auto-generated\r$/imu);
    expect(decodeMail(mail)).toContain('are you coming to the reunion?');
    expect(decodeMail(mail)).not.toContain(ada.email);
    expect(decodeMail(mail)).not.toContain(ada.email.split('@')[0]);
    // The only addresses are those of the recipient and the archive. The Message-ID only looks like an address.
    const addresses = new Set(
      decodeMail(mail)
        .replaceAll(/message-id:\s+<[^>]*>/gu, '')
        .match(/[\w.+-]+@[\w.-]+/gu),
    );
    expect(addresses).toEqual(new Set([ben.email, 'archive@test.example']));
    expect(JSON.stringify(await contactOf(ada, ben))).not.toContain('@');
  });

  test('has a Reply-To header only if the sender shares their address with that message', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await write(ada, ben, 'Write me', true);
    const mail = await receiveMail(ben);
    expect(mail.replyTo).toBe(ada.email);
    expect(mail.from).toBe('archive@test.example');
    expect(mail.text).toContain('If you reply to this email');
    await write(ben, ada, 'I do it here');
    const answer = await receiveMail(ada);
    expect(answer.replyTo).toBeUndefined();
    expect(decodeMail(answer)).not.toContain(ben.email);
  });

  test('is prepared by GET /api/users/{id}/contact, which returns whether members see the sender’s email address', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    expect(await contactOf(ada, ben)).toMatchObject({ isOwnEmailShown: true });
    await setPrivacy(ada, { visibility: { email: 'me' } });
    expect(await contactOf(ada, ben)).toMatchObject({ isOwnEmailShown: false });
    expect(await contactOf(ben, ada), 'of the caller’s own profile only').toMatchObject({ isOwnEmailShown: true });
  });

  test.each([
    {
      of: 'shows',
      email: 'members',
      sentence: 'Your profile shows your email address to members, the sender included.',
    },
    { of: 'hides', email: 'me', sentence: 'The sender cannot see your email address. A reply in the archive does not' },
  ] as const)('is true about the address of a recipient whose profile $of it', async ({ email, sentence }) => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await setPrivacy(ben, { visibility: { email } });
    const isSeen = JSON.stringify(
      await ada.device.call('GET /api/users/{id}', { params: { id: ben.uid }, query: {} }),
    ).includes(ben.email);
    expect(isSeen).toBe(email === 'members');
    expect(await contactOf(ada, ben)).toMatchObject({ isTheirEmailShown: isSeen });
    await write(ada, ben);
    const { text } = await receiveMail(ben);
    expect(text.replaceAll(/\s+/gu, ' ')).toContain(sentence);
    expect(text.includes('cannot see your email address')).toBe(!isSeen);
  });

  test('contains no reply link if the sender does not accept messages', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await setMessages(ada, false);
    expect(await contactOf(ada, ben)).toMatchObject({ canWrite: true, ownReach: 'closed' });
    await write(ada, ben);
    const mail = await receiveMail(ben);
    expect(mail.text).not.toContain('?write');
    expect(mail.text).toContain(`/user/${ada.uid}\n`);
  });

  test.each([
    ['line breaks and mail headers', 'Hello\r\nBcc: victim@mail.example\r\n\r\n.\r\nMAIL FROM:<x@y.example>'],
    ['markup', '</blockquote><script>alert(1)</script><a href="https://evil.example">Verify</a><img src=x onerror=1>'],
    ['a MIME boundary and part', '--_NmP-\r\nContent-Type: text/html\r\n\r\n<b>bold</b>'],
  ])('shows the message as plain text when it contains %s', { tags: ['asvs-1.3.11'] }, async (_, text) => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    expect((await write(ada, ben, text)).statusCode).toBe(204);
    const mail = await receiveMail(ben);
    const [head = ''] = mail.raw.split('\r\n\r\n');
    expect(head).not.toMatch(/^(?:bcc|cc|mail from)/imu);
    expect(mail.html).not.toMatch(/<script|<img|<b>|href="https:\/\/evil/u);
    for (const line of text.split('\r\n')) expect(mail.text).toContain(`> ${line}`);
    expect(archive.inbox.to('victim@mail.example')).toEqual([]);
  });

  test('contains no invisible characters except those that some writing systems need', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await write(ada, ben, 'safe\u202Egnp.exe\u202C wo\u200Brd \u2066x\u2069\u0000 می\u200Cخواهم שלום');
    const mail = await receiveMail(ben);
    expect(mail.text).toContain('> safegnp.exe word x می\u200Cخواهم שלום');
    expect(mail.html).toContain('<blockquote dir="auto"');
  });

  test.each([
    ['a line break', 'Ada\r\nBcc: victim', 'Ada Bcc: victim'],
    [
      'invisible or bidirectional control characters',
      'Ada\u202E\u200B Obi\u2028Subject: paid',
      'Ada Obi Subject: paid',
    ],
    ['markup', '<b>Ada</b> "Obi" =?utf-8?q?x?=', '<b>Ada</b> "Obi" =?utf-8?q?x?='],
    ['500 characters', 'x'.repeat(500), `${'x'.repeat(80)}…`],
    ['only invisible characters', '\u200B\u202E', '(not shown)'],
    ['a web address', 'Reset at evil.com', '(not shown)'],
  ])(
    'shows the sender’s stored name safely when it contains %s',
    { tags: ['asvs-1.3.11'] },
    async (_, stored, shown) => {
      const [ada, ben] = [await archive.createMember(), await archive.createMember()];
      await archive.pool.query('update listings set name = $2 where account_id = $1', [ada.uid, stored]);
      await write(ada, ben);
      const mail = await receiveMail(ben);
      expect(mail.subject).toBe('A member wrote to you in the alumni archive');
      expect(mail.text).toContain(`\nName on their profile: ${shown}\n`);
      expect(mail.text).not.toContain('evil.com');
      const [head = ''] = mail.raw.split('\r\n\r\n');
      expect(head).not.toMatch(/^(?:bcc|cc):/imu);
      expect(head.match(/^subject:/gimu)).toHaveLength(1);
      expect(mail.html).not.toContain('<b>');
      expect(archive.inbox.to('victim@mail.example')).toEqual([]);
    },
  );

  test('can contain 1 to 2,000 characters, counted as code points', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const longest = '🎓'.repeat(fieldLengths.messageMax);
    expect((await write(ada, ben, longest)).statusCode).toBe(204);
    expect((await receiveMail(ben)).text).toContain(`> ${longest}`);
    for (const text of [`${longest}x`, '', '  \n ', '\u200B', 'x'.repeat(20_000)]) {
      const body = { text, shareEmail: false };
      const call = { params: { id: ben.uid }, body };
      expect(await ada.device.code('POST /api/users/{id}/messages', call)).toBe('validation-failed');
    }
    await expectNothingFor(ben);
  });

  test('is not stored after delivery, except for its sender and recipient, which are stored for 30 days', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const text = 'The secret of the rock';
    archive.inbox.refuse(true);
    await write(ada, ben, text);
    await archive.runJobs();
    expect(await schemasWith(text), 'the text is in the queue').toEqual(['pgboss']);
    const failed = await findFailedJobs(archive.context.db);
    expect(failed.length).toBeGreaterThan(0);
    expect(JSON.stringify(failed)).not.toContain(ben.email);
    archive.inbox.refuse(false);
    await archive.advanceTime('1 hour');
    expect((await receiveMail(ben)).text).toContain(text);
    expect(await schemasWith(text)).toEqual([]);
    expect(await messagesOf(ada)).toBe(1);

    const forget = async () => {
      await deleteOldMessagesJob.queue(archive.context.db, {});
      await archive.runJobs();
    };
    await archive.advanceTime('29 days');
    await forget();
    expect(await messagesOf(ada)).toBe(1);
    await archive.advanceTime('1 day');
    await forget();
    expect(await messagesOf(ada)).toBe(0);
  });

  const undelivered = /^Your message could not be delivered$/u;

  test('is deleted when its delivery fails permanently, and its sender is notified unless blocked', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    const text = 'To a mailbox that is gone';
    archive.inbox.refuse(true);
    await write(ada, ben, text);
    await write(eve, ben, text);
    await exhaustQueued(archive.context.db);
    await archive.runJobs();
    await block(ben, eve);
    await reportUndeliveredJob.queue(archive.context.db, {});
    await archive.runJobs();
    expect(await schemasWith('mailbox that is gone')).toEqual([]);
    archive.inbox.refuse(false);
    await archive.advanceTime('1 hour');
    await expectNothingFor(ben);
    const mail = archive.inbox.to(ada.email).find(({ subject }) => undelivered.test(subject));
    expect(mail?.text).toContain(`Name on their profile: ${nameOf(ben)}`);
    expect(mail?.text).toContain(`http://localhost:3000/user/${ben.uid}?write\n`);
    for (const word of ['mailbox that is gone', ben.email]) expect(mail?.raw).not.toContain(word);
    expect(archive.inbox.to(eve.email).filter(({ subject }) => undelivered.test(subject))).toEqual([]);
  });

  test('stays queued while the mail server is unreachable', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const text = 'The server is down';
    await archive.inbox.stop();
    await write(ada, ben, text);
    for (let round = 0; round < 35; round++) {
      await archive.runJobs();
      await archive.advanceTime('1 hour');
    }
    await reportUndeliveredJob.queue(archive.context.db, {});
    await archive.runJobs();
    expect(await schemasWith(text)).toEqual(['pgboss']);
    await archive.inbox.restart();
    // The mailer waits a moment before it tries an unreachable server again.
    await expect
      .poll(
        async () => {
          await archive.advanceTime('1 hour');
          await archive.runJobs();
          return archive.inbox.to(ben.email).some((mail) => mail.text.includes(text));
        },
        { timeout: 60_000, interval: 500 },
      )
      .toBe(true);
  });

  test('is logged without its text, names and addresses', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const from = archive.logged.length;
    archive.inbox.refuse(true);
    await write(ada, ben, 'Whispered words', true);
    await archive.runJobs();
    archive.inbox.refuse(false);
    await archive.advanceTime('1 hour');
    await receiveMail(ben);
    const lines = archive.logged.slice(from).join('\n');
    expect(lines, 'the failure is logged').toContain('contact:message-mail');
    for (const word of ['Whispered', ada.email, ben.email, nameOf(ada), nameOf(ben), '@'])
      expect(lines).not.toContain(word);
  });
});

async function schemasWith(text: string): Promise<string[]> {
  const { rows } = await archive.pool.query<{ schema: string; name: string }>(
    `select table_schema as schema, format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema in ('public', 'pgboss')`,
  );
  expect(rows.length).toBeGreaterThan(10);
  const found = await Promise.all(
    rows.map(async ({ schema, name }) => {
      const { rowCount } = await archive.pool.query(`select from ${name} t where t::text like $1 limit 1`, [
        `%${text}%`,
      ]);
      return rowCount ? [schema] : [];
    }),
  );
  return [...new Set(found.flat())];
}

async function messagesOf({ uid }: Visitor): Promise<number> {
  const { rowCount } = await archive.pool.query('select from messages where sender_id = $1', [uid]);
  return rowCount ?? 0;
}

test('the data download lists sent and received messages, but not who blocked the user', async () => {
  const [ada, ben] = [await archive.createMember(), await archive.createMember()];
  await write(ada, ben);
  await receiveMail(ben);
  await block(ben, ada);
  const kept = { from: ada.uid, to: ben.uid, sentAt: expect.stringMatching(/^\d{4}-/u) };
  expect(await accountIn(ada)).toMatchObject({ takesMessages: true, blocked: [], messages: [kept] });
  expect(await accountIn(ben)).toMatchObject({
    takesMessages: true,
    blocked: [{ id: ada.uid, name: nameOf(ada) }],
    messages: [kept],
  });
});

async function accountIn({ device, uid: id }: Visitor): Promise<object> {
  const { rawPayload } = await device.ask('GET /api/users/{id}/export', { params: { id } });
  const file = unzipSync(rawPayload)['account.json'];
  return JSON.parse(strFromU8(file ?? new Uint8Array())) as object;
}

describe('GET /api/messages', () => {
  const listOf = async ({ device }: Visitor) =>
    (await device.call('GET /api/messages', { query: {} })).messages.map(({ isSent, person }) => ({ isSent, person }));
  const thumb = expect.stringMatching(/^\/media\/.+\/192\.webp$/u) as string;

  test('lists what the user sent and received, newest first, and contact says when the user last wrote', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    await write(ada, ben);
    await write(eve, ada);
    expect(await listOf(ada)).toEqual([
      { isSent: false, person: { id: eve.uid, name: nameOf(eve), thumb } },
      { isSent: true, person: { id: ben.uid, name: nameOf(ben), thumb } },
    ]);
    expect(await listOf(ben)).toEqual([{ isSent: false, person: { id: ada.uid, name: nameOf(ada), thumb } }]);
    expect((await contactOf(ada, ben)).lastWrittenAt).not.toBeNull();
    expect((await contactOf(ben, ada)).lastWrittenAt, 'what was received does not count').toBeNull();
  });

  test('shows no name and no picture that the user cannot see, and lists no refused message', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await write(ada, ben);
    await setPrivacy(ben, { visibility: { picture: 'me' } });
    expect(await listOf(ada)).toEqual([{ isSent: true, person: { id: ben.uid, name: nameOf(ben), thumb: null } }]);
    await setPrivacy(ben, { visibility: {}, isHidden: true });
    expect((await write(ada, ben)).statusCode).toBe(404);
    expect(await listOf(ada)).toEqual([{ isSent: true, person: { id: ben.uid, name: null, thumb: null } }]);
  });

  test('returns every message once over all pages', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    // Pairs with the same time.
    await archive.pool.query(
      `insert into messages (sender_id, recipient_id, sent_at)
       select $1, $2, now() - make_interval(mins => n / 2) from generate_series(1, 45) n`,
      [ada.uid, ben.uid],
    );
    const seen: string[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const page = await ada.device.call('GET /api/messages', { query: after === undefined ? {} : { after } });
      seen.push(...page.messages.map(({ id }) => id));
      after = page.next;
    }
    expect(seen).toHaveLength(45);
    expect(new Set(seen).size).toBe(45);
  });
});

describe('the contact API', () => {
  test('refuses guests, unverified users and users without a profile', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const guest = { ...ada, device: archive.openDevice() };
    const unverified = await archive.signUp();
    const incomplete = await archive.signUpVerified();
    const params = { id: ben.uid };
    for (const [{ device }, code] of [
      [guest, 'auth/unauthenticated'],
      [unverified, 'auth/unverified-email'],
      [incomplete, 'permission-denied'],
    ] as const) {
      const body = { text: 'Hello', shareEmail: false };
      expect(await device.code('POST /api/users/{id}/messages', { params, body })).toBe(code);
      expect(await device.code('GET /api/users/{id}/contact', { params })).toBe(code);
      expect(await device.code('GET /api/contact/choices')).toBe(code);
      expect(await device.code('PUT /api/contact/choices', { body: { takesMessages: false } })).toBe(code);
      expect(await device.code('GET /api/blocks')).toBe(code);
      expect(await device.code('PUT /api/blocks/{id}', { params })).toBe(code);
      expect(await device.code('DELETE /api/blocks/{id}', { params })).toBe(code);
    }
    await expectNothingFor(ben);
  });

  test('gives the same response for hidden people as for people who do not exist', async () => {
    const [ada, hidden, nameless] = [
      await archive.createMember(),
      await archive.createMember(),
      await archive.createMember(),
    ];
    await setPrivacy(hidden, { isHidden: true });
    await setPrivacy(nameless, { visibility: { name: 'me' } });
    const incomplete = await archive.signUpVerified();
    const nobody = { uid: crypto.randomUUID() };
    const answersTo = async ({ uid: id }: { uid: string }) =>
      Promise.all([
        write(ada, { uid: id }),
        ada.device.ask('GET /api/users/{id}/contact', { params: { id } }),
        ada.device.ask('PUT /api/blocks/{id}', { params: { id } }),
      ]).then((answers) => answers.map((answer) => [answer.statusCode, answer.body]));
    const expected = await answersTo(nobody);
    expect(expected.map(([status]) => status)).toEqual([404, 404, 404]);
    for (const person of [hidden, nameless, incomplete]) expect(await answersTo(person)).toEqual(expected);
    expect(await messagesOf(ada)).toBe(0);
  });

  test('does not let members send messages to themselves or block themselves', async () => {
    const ada = await archive.createMember();
    expect((await write(ada, ada)).statusCode).toBe(403);
    expect(await contactOf(ada, ada)).toEqual({
      canWrite: false,
      isBlocked: false,
      ownReach: 'open',
      isOwnEmailShown: true,
      isTheirEmailShown: true,
      lastWrittenAt: null,
    });
    expect(await ada.device.code('PUT /api/blocks/{id}', { params: { id: ada.uid } })).toBe('permission-denied');
  });

  test('refuses messages from hidden members', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await setPrivacy(ada, { isHidden: true });
    expect(await contactOf(ada, ben)).toEqual({
      canWrite: false,
      isBlocked: false,
      ownReach: 'hidden',
      isOwnEmailShown: false,
      isTheirEmailShown: true,
      lastWrittenAt: null,
    });
    expect((await write(ada, ben)).statusCode).toBe(403);
    await expectNothingFor(ben);
  });

  test('refuses messages sent from another origin', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    ada.device.origin = 'https://evil.example';
    expect((await write(ada, ben)).json()).toMatchObject({ code: 'origin-refused' });
    await expectNothingFor(ben);
  });

  test('refuses a message with invalid fields', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const response = await ada.device.fetch('POST', `/api/users/${ben.uid}/messages`, { text: 'x', more: 1 });
    expect(response.json()).toMatchObject({ code: 'validation-failed' });
    expect((await ada.device.fetch('POST', `/api/users/nobody/messages`, {})).statusCode).toBe(400);
  });
});

describe('the settings for received messages', () => {
  test('accept messages by default, and can turn them off and on', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    expect(await ben.device.call('GET /api/contact/choices')).toMatchObject({ takesMessages: true });
    expect(await contactOf(ada, ben)).toEqual({
      canWrite: true,
      isBlocked: false,
      ownReach: 'open',
      isOwnEmailShown: true,
      isTheirEmailShown: true,
      lastWrittenAt: null,
    });
    await setMessages(ben, false);
    expect(await ben.device.call('GET /api/contact/choices')).toMatchObject({ takesMessages: false });
    expect((await write(ada, ben)).statusCode).toBe(403);
    await setMessages(ben, true);
    expect((await write(ada, ben)).statusCode).toBe(204);
    await receiveMail(ben);
  });

  test('give the same response to a blocked sender as when messages are turned off', async () => {
    const [ada, blocking, closed] = [
      await archive.createMember(),
      await archive.createMember(),
      await archive.createMember(),
    ];
    await block(blocking, ada);
    await setMessages(closed, false);
    const seenOf = async ({ uid: id }: Visitor) => {
      const answers = [
        await write(ada, { uid: id }),
        await ada.device.ask('GET /api/users/{id}/contact', { params: { id } }),
        await ada.device.ask('GET /api/blocks'),
        await ada.device.ask('GET /api/contact/choices'),
      ];
      return answers.map(({ statusCode, headers, body }) => ({
        statusCode,
        // Each response has its own time and id.
        headers: { ...headers, date: '', 'x-request-id': '' },
        body,
      }));
    };
    const seen = await seenOf(blocking);
    expect(seen).toEqual(await seenOf(closed));
    expect(seen[0]?.statusCode).toBe(403);
    expect(await contactOf(ada, blocking)).toEqual({
      canWrite: false,
      isBlocked: false,
      ownReach: 'open',
      isOwnEmailShown: true,
      isTheirEmailShown: true,
      lastWrittenAt: null,
    });
    expect((await ada.device.ask('GET /api/users/{id}', { params: { id: blocking.uid }, query: {} })).statusCode).toBe(
      200,
    );
    const page = await ada.device.call('GET /api/notifications', { query: {} });
    expect(page.notifications.map(({ kind }) => kind)).toEqual(['welcome', 'email-verified']);
    await expectNothingFor(blocking);
  });

  test('do not count refused messages toward rate limits', async () => {
    const [ada, blocking, ben] = [
      await archive.createMember(),
      await archive.createMember(),
      await archive.createMember(),
    ];
    await block(blocking, ada);
    for (let attempt = 0; attempt < 12; attempt++) expect((await write(ada, blocking)).statusCode).toBe(403);
    expect((await write(ada, ben)).statusCode).toBe(204);
    await receiveMail(ben);
  });

  test('list a blocked person by name, block the same person only once, and can remove the block', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    const blocked = async () => (await ben.device.call('GET /api/blocks')).people;
    await block(ben, ada);
    await block(ben, ada);
    await block(ben, eve);
    expect(await blocked()).toEqual([
      { id: eve.uid, name: nameOf(eve) },
      { id: ada.uid, name: nameOf(ada) },
    ]);
    expect(await contactOf(ben, ada)).toEqual({
      canWrite: false,
      isBlocked: true,
      ownReach: 'open',
      isOwnEmailShown: true,
      isTheirEmailShown: true,
      lastWrittenAt: null,
    });
    expect((await write(ben, ada)).json()).toMatchObject({ code: 'permission-denied' });
    await setPrivacy(eve, { isHidden: true });
    expect(await blocked(), 'hidden people have no name').toMatchObject([{ name: null }, {}]);
    await unblock(ben, ada);
    await unblock(ben, ada);
    await unblock(ben, eve);
    expect(await blocked()).toEqual([]);
    expect((await write(ada, ben)).statusCode).toBe(204);
    await receiveMail(ben);
  });

  test('let only the owner read and remove blocks', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    await block(ben, ada);
    expect(await eve.device.call('GET /api/blocks')).toEqual({ people: [] });
    expect(await ada.device.call('GET /api/blocks')).toEqual({ people: [] });
    await unblock(eve, ada);
    await unblock(ada, ben);
    expect((await write(ada, ben)).statusCode).toBe(403);
    expect((await write(eve, ben)).statusCode).toBe(204);
    await receiveMail(ben);
  });

  test('can still block a sender who is now hidden', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await write(ada, ben);
    await receiveMail(ben);
    await setPrivacy(ada, { isHidden: true });
    await block(ben, ada);
    await setPrivacy(ada, { isHidden: false });
    expect((await write(ada, ben)).statusCode).toBe(403);
  });

  test('refuse blocks above the maximum number', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await archive.pool.query(
      `with more as (insert into accounts (email, password_hash)
         select 'full' || n || '@mail.example', 'x' from generate_series(1, $2) n returning id)
       insert into blocks (account_id, blocked_id) select $1, id from more`,
      [ben.uid, maxBlocksPerAccount],
    );
    expect(await ben.device.code('PUT /api/blocks/{id}', { params: { id: ada.uid } })).toBe('permission-denied');
  });
});

describe('a queued message', () => {
  test.each<[string, (ada: Member, ben: Member) => Promise<unknown>]>([
    ['after the recipient blocked the sender', (ada, ben) => block(ben, ada)],
    ['after the sender blocked the recipient', (ada, ben) => block(ada, ben)],
    ['after the recipient turned messages off', (_, ben) => setMessages(ben, false)],
    ['after the recipient hid the profile', (_, ben) => setPrivacy(ben, { isHidden: true })],
    ['after the recipient hid the name', (_, ben) => setPrivacy(ben, { visibility: { name: 'me' } })],
    ['after the sender hid the profile', (ada) => setPrivacy(ada, { isHidden: true })],
    ['when the recipient’s address is unverified', (_, ben) => unverify(ben)],
    ['when the sender’s address is unverified', (ada) => unverify(ada)],
    ['after the recipient deleted the account', (_, ben) => deleteAccount(ben)],
    ['after the sender deleted the account', (ada) => deleteAccount(ada)],
  ])('is not sent %s', async (_, change) => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    expect((await write(ada, ben, 'Too late by now')).statusCode).toBe(204);
    await change(ada, ben);
    await expectNothingFor(ben);
    expect(await schemasWith('Too late by now')).toEqual([]);
  });

  const unverify = ({ uid }: Visitor) =>
    archive.pool.query('update accounts set email_verified = false where id = $1', [uid]);
  const deleteAccount = ({ device }: Visitor) => device.call('DELETE /api/identity/account');

  test('is deleted with its record and all blocks when the sender deletes the account', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    await write(ada, ben);
    await write(eve, ada);
    await block(ada, eve);
    await block(ben, ada);
    await deleteAccount(ada);
    const { rows } = await archive.pool.query(
      `select sender_id from messages where $1 in (sender_id, recipient_id)
       union all select account_id from blocks where $1 in (account_id, blocked_id)`,
      [ada.uid],
    );
    expect(rows).toEqual([]);
    expect(await ben.device.call('GET /api/blocks')).toEqual({ people: [] });
  });
});

describe('the rate limits of messages', () => {
  test('allow three messages in the first 24 hours of a profile, even if the account is older', async () => {
    const [ben, eve] = [await archive.createMember(), await archive.createMember()];
    const others = [ben, eve, await archive.createMember(), await archive.createMember()];
    const ada = await archive.createMember();
    await archive.pool.query(`update accounts set created_at = now() - interval '9 days' where id = $1`, [ada.uid]);
    const statuses = [];
    for (const other of others) statuses.push((await write(ada, other)).statusCode);
    expect(statuses).toEqual([204, 204, 204, 429]);
    await archive.pool.query(
      `update profiles set created_at = now() - interval '24 hours 1 second' where account_id = $1`,
      [ada.uid],
    );
    expect((await write(ada, eve)).statusCode).toBe(204);
  });

  test('allow three messages a day to the same person, and return the time until the next one', async () => {
    const [ada, ben, eve] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    await archive.advanceTime('25 hours');
    for (let sent = 0; sent < 3; sent++) expect((await write(ada, ben)).statusCode).toBe(204);
    const refused = await write(ada, ben);
    expect(refused.statusCode).toBe(429);
    expect(refused.json<{ retryAfter: number }>().retryAfter).toBeGreaterThan(23 * 60 * 60);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(23 * 60 * 60);
    expect((await write(ada, eve)).statusCode, 'another recipient is allowed').toBe(204);
    expect((await write(ben, ada)).statusCode, 'the other direction is allowed').toBe(204);
    await archive.advanceTime('25 hours');
    expect((await write(ada, ben)).statusCode).toBe(204);
    await archive.runJobs();
    expect(archive.inbox.to(ben.email).filter((mail) => subject.test(mail.subject))).toHaveLength(4);
  });

  test('treat an ID in upper case and in lower case as the same person', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const loud = { ...ben, uid: ben.uid.toUpperCase() };
    const answers = [await write(ada, ben), await write(ada, loud), await write(ada, ben), await write(ada, loud)];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([204, 204, 204, 429]);
    expect((await write(ada, { ...ada, uid: ada.uid.toUpperCase() })).statusCode).toBe(
      (await write(ada, ada)).statusCode,
    );
    const own = { params: { id: ada.uid.toUpperCase() } };
    expect(await ada.device.code('PUT /api/blocks/{id}', own)).toBe('permission-denied');
  });

  test(
    'allow exactly ten messages a day per sender, even for parallel requests',
    { tags: ['asvs-2.4.1'] },
    async () => {
      const [ada, ...others] = await Promise.all(Array.from({ length: 5 }, () => archive.createMember()));
      if (!ada) throw new Error('Nobody joined.');
      await archive.advanceTime('25 hours');
      // Eleven requests may be in flight per account, with at most three to one person. So only the limit of ten per
      // day refuses one.
      const recipients = others.flatMap((other) => [other, other, other]).slice(0, 11);
      const answers = await Promise.all(recipients.map((other) => write(ada, other)));
      const statuses = answers.map(({ statusCode }) => statusCode);
      expect(statuses.filter((status) => status === 204)).toHaveLength(10);
      expect(statuses.filter((status) => status === 429)).toHaveLength(1);
      expect(await messagesOf(ada)).toBe(10);
    },
  );

  test('allow forty messages a day per recipient, without revealing when earlier ones were sent', async () => {
    const ben = await archive.createMember();
    const senders = await Promise.all(Array.from({ length: 15 }, () => archive.createMember()));
    await archive.advanceTime('-3 hours');
    const first = await Promise.all(senders.slice(0, 7).flatMap((sender) => [1, 2, 3].map(() => write(sender, ben))));
    expect(first.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 21 }, () => 204));
    await archive.advanceTime('3 hours');
    const rest = await Promise.all(senders.slice(7).flatMap((sender) => [1, 2, 3].map(() => write(sender, ben))));
    expect(rest.filter(({ statusCode }) => statusCode === 204)).toHaveLength(19);
    const refused = rest.filter(({ statusCode }) => statusCode === 429);
    expect(refused).toHaveLength(5);
    for (const answer of refused) {
      expect(answer.json()).toEqual({
        type: 'urn:problem:auth/too-many-requests',
        title: 'Too many attempts',
        status: 429,
        code: 'auth/too-many-requests',
        retryAfter: 24 * 60 * 60,
      });
    }
  });

  test('allow two members to write to each other at the same time', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const answers = await Promise.all([1, 2, 3].flatMap(() => [write(ada, ben), write(ben, ada)]));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 6 }, () => 204));
  });
});

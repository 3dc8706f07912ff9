import { afterEach, beforeEach, expect, test } from 'vitest';
import { termsVersion as terms } from '#contract/terms.ts';
import { freePort } from '#server/testing/free-port.ts';
import { findCode, type Inbox, openInbox } from '#server/testing/inbox.ts';
import { cleanUp, end, newFolder, type ServerProcess, run } from '#server/testing/server-process.ts';

/*
 * Runs the server as a separate process with its own database, while the mail server fails in several ways: it goes
 * down, closes connections, is slow, and rejects mails. The server is killed twice. Everyone must get their email
 * exactly once.
 */

let inbox: Inbox;
let environment: Record<string, string>;
let url: string;
let product: ServerProcess;

beforeEach(async () => {
  inbox = await openInbox();
  const port = await freePort();
  url = `http://localhost:${port}`;
  environment = {
    PORT: String(port),
    DATA_DIR: newFolder(),
    SMTP_URL: inbox.url,
    MAIL_FROM: 'archive@campus.example',
    TRUST_PROXY: '127.0.0.1',
  };
  await start();
});
afterEach(async () => {
  await cleanUp();
  await inbox.close();
});

const eventually = <T>(read: () => T | Promise<T>) => expect.poll(read, { timeout: 240_000, interval: 500 });

let visitors = 0;

/** Uses a separate IP address for each person. @returns the email address */
async function signUp(): Promise<string> {
  visitors++;
  const email = `fault-${visitors}@mail.example`;
  const response = await fetch(`${url}/api/identity/sign-up`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: url,
      'x-forwarded-for': `10.7.${visitors >> 8}.${visitors & 255}`,
    },
    body: JSON.stringify({ email, password: 'a long enough word', terms }),
  });
  expect(response.status, await response.text()).toBe(200);
  return email;
}

async function signUpMany(count: number): Promise<string[]> {
  const emails: string[] = [];
  for (let person = 0; person < count; person++) emails.push(await signUp());
  return emails;
}

async function start(): Promise<void> {
  product = await run(environment);
  if (!product.ready) throw new Error(product.output);
}

async function restart(): Promise<void> {
  await end(product.child, 'SIGKILL');
  await start();
}

const checkCode = async (code: string) =>
  (
    await fetch(`${url}/api/identity/action-code/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, 'x-forwarded-for': `10.6.0.${++visitors & 255}` },
      body: JSON.stringify({ code }),
    })
  ).status;

test('200 people get their sign-up email exactly once, although the mail server and the archive’s server fail', async () => {
  const emails: string[] = [];
  // The server is killed while it sends emails.
  inbox.simulateFault({ at: 'dot', does: 100 });
  emails.push(...(await signUpMany(40)));
  await restart();
  // The mail server stores emails, but closes the connection before it confirms them.
  inbox.simulateFault({ at: 'stored', does: 'drop', times: 10 });
  emails.push(...(await signUpMany(40)));
  await eventually(() => inbox.countFaults()).toBeGreaterThanOrEqual(10);
  // The mail server goes down while emails are queued.
  await inbox.stop();
  emails.push(...(await signUpMany(40)));
  await restart();
  emails.push(...(await signUpMany(20)));
  await inbox.restart();
  // The mail server is slow, and then rejects emails temporarily.
  inbox.simulateFault({ at: 'sender', does: 300 });
  emails.push(...(await signUpMany(30)));
  inbox.simulateFault({ at: 'recipient', does: '450 4.2.0 Come back later', times: 20 });
  emails.push(...(await signUpMany(30)));

  const countMails = (email: string) => new Set(inbox.to(email).map(({ messageId }) => messageId)).size;
  await eventually(() => emails.filter((email) => countMails(email) === 0).length).toBe(0);
  expect(emails).toHaveLength(200);
  expect(
    emails.filter((email) => countMails(email) !== 1),
    'emails with more than one Message-ID',
  ).toEqual([]);
  const mails = inbox.all();
  console.log(`200 people, ${mails.length} copies of 200 emails`);
  // The links in all copies work.
  const copied = emails.filter((email) => inbox.to(email).length > 1);
  expect(copied.length).toBeGreaterThan(0);
  for (const email of copied) for (const mail of inbox.to(email)) expect(await checkCode(findCode(mail))).toBe(200);
});

test('queued emails are sent within a minute after the mail server is available again', async () => {
  await inbox.stop();
  const emails = await signUpMany(20);
  await eventually(() => product.readOutput()).toContain('Mail server unavailable');
  const until = Date.now() + 120_000;
  await eventually(() => Date.now() > until).toBe(true);
  await inbox.restart();
  const availableAtMs = Date.now();
  await eventually(() => emails.filter((email) => inbox.to(email).length === 0).length).toBe(0);
  const seconds = (Date.now() - availableAtMs) / 1000;
  console.log(`All 20 emails arrived ${seconds.toFixed(1)} s after the mail server was available`);
  expect(seconds).toBeLessThan(60);
});

test('the server shuts down in time while the mail server hangs, and sends the email after the next start', async () => {
  inbox.simulateFault({ at: 'sender', does: 600_000 });
  const email = await signUp();
  await eventually(() => inbox.countFaults()).toBeGreaterThan(0);
  const stoppedAtMs = Date.now();
  await end(product.child, 'SIGTERM');
  const seconds = (Date.now() - stoppedAtMs) / 1000;
  console.log(`The server exited after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(20);
  inbox.simulateFault(null);
  await start();
  await eventually(() => inbox.to(email).length).toBe(1);
});

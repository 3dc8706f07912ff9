import { afterEach, beforeEach, expect, test } from 'vitest';
import { termsVersion as terms } from '#contract/terms.ts';
import { freePort } from '../server/testing/free-port.ts';
import { codeIn, type Inbox, openInbox } from '../server/testing/inbox.ts';
import { cleanUp, end, newFolder, type Product, run } from '../server/testing/product.ts';

/*
 * The real product as a process of its own, with its own database, while two hundred people sign up: the mail server goes down,
 * comes back, keeps mails and hangs up, is slow; the product is killed twice. In the end everybody has their mail, once.
 */

let inbox: Inbox;
let environment: Record<string, string>;
let url: string;
let product: Product;

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

/** Each from an address of their own, as the proxy tells it. @returns the address of the mailbox */
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

const checked = async (code: string) =>
  (
    await fetch(`${url}/api/identity/action-code/check`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, 'x-forwarded-for': `10.6.0.${++visitors & 255}` },
      body: JSON.stringify({ code }),
    })
  ).status;

test('two hundred people sign up while the mail server fails in every way and the product is killed: everybody’s mail arrives, once', async () => {
  const emails: string[] = [];
  // All is well, and the product is killed while mails go out.
  inbox.trouble({ at: 'dot', does: 100 });
  emails.push(...(await signUpMany(40)));
  await restart();
  // Mails are kept, and the connection breaks before that is said.
  inbox.trouble({ at: 'stored', does: 'drop', times: 10 });
  emails.push(...(await signUpMany(40)));
  await eventually(() => inbox.struck()).toBeGreaterThanOrEqual(10);
  // It goes down while mails wait.
  await inbox.goDown();
  emails.push(...(await signUpMany(40)));
  await restart();
  emails.push(...(await signUpMany(20)));
  await inbox.comeBack();
  // Slow, then refusing for a while.
  inbox.trouble({ at: 'sender', does: 300 });
  emails.push(...(await signUpMany(30)));
  inbox.trouble({ at: 'recipient', does: '450 4.2.0 Come back later', times: 20 });
  emails.push(...(await signUpMany(30)));

  const arrivedAt = (email: string) => new Set(inbox.to(email).map(({ messageId }) => messageId)).size;
  await eventually(() => emails.filter((email) => arrivedAt(email) === 0).length).toBe(0);
  expect(emails).toHaveLength(200);
  expect(
    emails.filter((email) => arrivedAt(email) !== 1),
    'mails that mailboxes see twice',
  ).toEqual([]);
  const mails = inbox.all();
  console.log(`200 people, ${mails.length} copies of 200 mails`);
  // The link in each copy works, the first one’s too.
  const copied = emails.filter((email) => inbox.to(email).length > 1);
  expect(copied.length).toBeGreaterThan(0);
  for (const email of copied) for (const mail of inbox.to(email)) expect(await checked(codeIn(mail))).toBe(200);
});

test('a mail server that was away for two minutes is not waited for once it answers', async () => {
  await inbox.goDown();
  const emails = await signUpMany(20);
  await eventually(() => product.said()).toContain('The mail server does not answer');
  const until = Date.now() + 120_000;
  await eventually(() => Date.now() > until).toBe(true);
  await inbox.comeBack();
  const back = Date.now();
  await eventually(() => emails.filter((email) => inbox.to(email).length === 0).length).toBe(0);
  const seconds = (Date.now() - back) / 1000;
  console.log(`all 20 mails arrived ${seconds.toFixed(1)} s after the mail server was back`);
  expect(seconds).toBeLessThan(60);
});

test('a mail server that never answers does not keep the product from ending, and the mail goes out after the next start', async () => {
  inbox.trouble({ at: 'sender', does: 600_000 });
  const email = await signUp();
  await eventually(() => inbox.struck()).toBeGreaterThan(0);
  const asked = Date.now();
  await end(product.child, 'SIGTERM');
  const seconds = (Date.now() - asked) / 1000;
  console.log(`the product ended after ${seconds.toFixed(1)} s`);
  expect(seconds).toBeLessThan(20);
  inbox.trouble(null);
  await start();
  await eventually(() => inbox.to(email).length).toBe(1);
});

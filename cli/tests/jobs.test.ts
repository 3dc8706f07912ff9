import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { urlOf } from '#server/db/url.ts';
import { openArchive, type TestArchive } from '#server/testing/archive.ts';
import { exhaustQueued, findQueued } from '#server/testing/jobs.ts';
import { main } from '../main.ts';

let archive: TestArchive;
let environment: NodeJS.ProcessEnv;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  const { rows } = await archive.pool.query<{ name: string }>('select current_database() as name');
  const name = rows[0]?.name ?? '';
  environment = {
    DATABASE_URL: urlOf({ ...inject('databases').server, database: name }),
    DATA_DIR: archive.context.config.dataDir,
  };
});
afterAll(() => archive.close());

const absent = '00000000-0000-4000-8000-000000000000';

/** @returns the exit code, what came out, and what was said beside it */
async function call(...words: string[]): Promise<[number, string, string]> {
  const [said, noted]: [string[], string[]] = [[], []];
  const tools = {
    environment,
    say: (line: string) => void said.push(line),
    note: (line: string) => void noted.push(line),
    progress: () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
  };
  const code = await main(words, environment, tools);
  return [code, said.join('\n'), noted.join('\n')];
}

/** Somebody whose verification mail was given up. @returns the job's ID */
async function givenUp(): Promise<{ id: string; email: string }> {
  archive.inbox.refuse(true);
  const { email } = await archive.signUp();
  await exhaustQueued(archive.context.db);
  await archive.work();
  archive.inbox.refuse(false);
  const jobs = await findQueued(archive.context.db, 'identity:verification-mail');
  const id = jobs.find(({ data }) => (data.payload as { email: string }).email === email)?.id ?? '';
  return { id, email };
}

test('an empty list is good news', async () => {
  expect(await call('jobs', 'list')).toEqual([0, 'Every job was done, or has not been tried yet.', '']);
});

test('a job that was given up is listed with its reason and no address, and tried again when the operator says so', async () => {
  const { id, email } = await givenUp();
  const [code, list] = await call('jobs', 'list');
  expect(code).toBe(1);
  expect(list).toMatch(
    new RegExp(
      String.raw`^${id}  identity:verification-mail  given up after one try  since \d{4}-\d\d-\d\d \d\d:\d\d UTC\n    The mail server did not take a mail \(.*<\[address\]>: come back later`,
      'u',
    ),
  );
  expect(list).not.toContain(email);
  expect(await call('jobs', 'retry', id)).toEqual([0, 'One job is tried again.', '']);
  await archive.work();
  await archive.inbox.next(email, 'Verify your email address');
  expect((await call('jobs', 'list'))[0]).toBe(0);
});

test('--dry-run names the jobs that would be tried again or dropped, and leaves them as they are', async () => {
  const [first, second] = [await givenUp(), await givenUp()];
  const lineOf = ({ id }: { id: string }) => `${id}  identity:verification-mail`;
  const [, list] = await call('jobs', 'list');
  expect(await call('jobs', 'retry', first.id, '--dry-run')).toEqual([
    0,
    `One job would be tried again:\n${lineOf(first)}`,
    'Nothing was changed.',
  ]);
  expect(await call('jobs', 'retry', '--all', '--dry-run')).toEqual([
    0,
    `2 jobs would be tried again:\n${lineOf(first)}\n${lineOf(second)}`,
    'Nothing was changed.',
  ]);
  expect(await call('jobs', 'drop', second.id, '--dry-run')).toEqual([
    0,
    `This job would be gone:\n${lineOf(second)}`,
    'Nothing was changed.',
  ]);
  for (const act of ['retry', 'drop']) {
    const [code, , noted] = await call('jobs', act, absent, '--dry-run');
    expect([code, noted]).toEqual([1, expect.stringContaining(`job ${absent}`)]);
    expect((await call('jobs', act, '--help'))[1]).toMatch(/^ {2}--dry-run /mu);
  }
  expect((await call('jobs', 'list'))[1]).toBe(list);
  expect(await call('jobs', 'retry', '--all')).toEqual([0, '2 jobs are tried again.', '']);
  await archive.work();
  for (const { email } of [first, second]) await archive.inbox.next(email, 'Verify your email address');
  expect(await call('jobs', 'retry', '--all', '--dry-run')).toEqual([
    0,
    '0 jobs would be tried again.',
    'Nothing was changed.',
  ]);
});

test('all of them are tried again with --all, and one that nobody needs can be dropped', async () => {
  const [first, second, third] = [await givenUp(), await givenUp(), await givenUp()];
  expect(await call('jobs', 'drop', third.id)).toEqual([0, `Job ${third.id} is gone.`, '']);
  expect(await call('jobs', 'retry', '--all')).toEqual([0, '2 jobs are tried again.', '']);
  await archive.work();
  for (const { email } of [first, second]) await archive.inbox.next(email, 'Verify your email address');
  expect(archive.inbox.to(third.email)).toEqual([]);
  expect(await call('jobs', 'retry', '--all')).toEqual([0, '0 jobs are tried again.', '']);
});

test('a job that waits for its next try is no fault yet', async () => {
  archive.inbox.refuse(true);
  await archive.signUp();
  await archive.work();
  archive.inbox.refuse(false);
  const [code, list] = await call('jobs', 'list');
  expect([code, list]).toEqual([
    0,
    expect.stringMatching(/identity:verification-mail {2}1 of 31 tries, the next at /u),
  ]);
});

test('a job that is not there, or a word that is no ID, is answered in a sentence', async () => {
  expect(await call('jobs', 'retry', absent)).toEqual([
    1,
    '',
    `There is no failed job ${absent}. "jobs list" shows those that there are.`,
  ]);
  expect((await call('jobs', 'drop', absent))[2]).toContain(`There is no job ${absent}`);
  for (const wrong of ["1'; drop table accounts; --", 'x', '15'])
    expect((await call('jobs', 'drop', wrong))[2]).toContain('is not the ID of a job');
  expect((await call('jobs', 'retry'))[2]).toContain('or --all');
  expect((await call('jobs', 'retry', '1', '--all'))[2]).toContain('or --all');
});

test('an address from which a mail came back is marked, however it is written, and its owner reads it', async () => {
  const visitor = await archive.signUpVerified();
  expect(await call('mail', 'bounced', visitor.email, '--dry-run')).toEqual([
    0,
    'One account would be marked.',
    'Nothing was changed.',
  ]);
  expect((await visitor.device.call('GET /api/identity/verification')).undelivered).toBeNull();
  expect((await call('mail', 'bounced', 'nobody@mail.example', '--dry-run'))[2]).toContain(
    'No account has this address',
  );
  expect((await call('mail', 'bounced', '--help'))[1]).toMatch(/^ {2}--dry-run /mu);
  const [code, said] = await call('mail', 'bounced', ` ${visitor.email.toUpperCase()}`);
  expect([code, said]).toEqual([
    0,
    'Marked. Whoever has this address reads at their next visit that mail does not get there.',
  ]);
  expect((await visitor.device.call('GET /api/identity/verification')).undelivered).toEqual({
    email: visitor.email,
    fault: 'reported',
  });
  expect((await call('mail', 'bounced', 'nobody@mail.example'))[2]).toContain('No account has this address');
  expect((await call('mail', 'bounced', 'nobody'))[2]).toBe('"nobody" is not an address, e.g. ada@mail.example.');
});

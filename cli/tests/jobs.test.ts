import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { urlOf } from '#server/db/url.ts';
import { openArchive, type TestArchive } from '#server/testing/archive.ts';
import { exhaustQueued, findQueued } from '#server/testing/jobs.ts';
import { addEntryOf } from '#server/testing/membership.ts';
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

async function call(...args: string[]): Promise<[number, string, string]> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const tools = {
    environment,
    print: (line: string) => void stdout.push(line),
    printStatus: (line: string) => void stderr.push(line),
    progress: () => ({ add: () => undefined, [Symbol.dispose]: () => undefined }),
  };
  const code = await main(args, environment, tools);
  return [code, stdout.join('\n'), stderr.join('\n')];
}

async function createFailedJob(): Promise<{ id: string; email: string }> {
  archive.inbox.refuse(true);
  const { email } = await archive.signUp();
  await exhaustQueued(archive.context.db);
  await archive.runJobs();
  archive.inbox.refuse(false);
  const jobs = await findQueued(archive.context.db, 'identity:verification-mail');
  const id = jobs.find(({ data }) => (data.payload as { email: string }).email === email)?.id ?? '';
  return { id, email };
}

test('jobs list exits with 0 if no job failed', async () => {
  expect(await call('jobs', 'list')).toEqual([0, 'No failed jobs.', '']);
});

test('jobs list prints a permanently failed job without addresses, and jobs retry runs it again', async () => {
  const { id, email } = await createFailedJob();
  const [code, list] = await call('jobs', 'list');
  expect(code).toBe(1);
  expect(list).toMatch(
    new RegExp(
      String.raw`^${id}  identity:verification-mail  failed after 1 attempt  since \d{4}-\d\d-\d\d \d\d:\d\d UTC\n    The mail server refused the mail \(.*<\[address\]>: come back later`,
      'u',
    ),
  );
  expect(list).not.toContain(email);
  expect(await call('jobs', 'retry', id)).toEqual([0, 'One job queued for retry.', '']);
  await archive.runJobs();
  await archive.inbox.next(email, 'Verify your email address');
  expect((await call('jobs', 'list'))[0]).toBe(0);
});

test('jobs retry and jobs drop print the jobs with --dry-run, and leave them unchanged', async () => {
  const [first, second] = [await createFailedJob(), await createFailedJob()];
  const formatLine = ({ id }: { id: string }) => `${id}  identity:verification-mail`;
  const [, list] = await call('jobs', 'list');
  expect(await call('jobs', 'retry', first.id, '--dry-run')).toEqual([
    0,
    `One job would be retried:\n${formatLine(first)}`,
    'Dry run: nothing was changed.',
  ]);
  expect(await call('jobs', 'retry', '--all', '--dry-run')).toEqual([
    0,
    `2 jobs would be retried:\n${formatLine(first)}\n${formatLine(second)}`,
    'Dry run: nothing was changed.',
  ]);
  expect(await call('jobs', 'drop', second.id, '--dry-run')).toEqual([
    0,
    `This job would be deleted:\n${formatLine(second)}`,
    'Dry run: nothing was changed.',
  ]);
  for (const action of ['retry', 'drop']) {
    const [code, , stderr] = await call('jobs', action, absent, '--dry-run');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`job ${absent}`)]);
    expect((await call('jobs', action, '--help'))[1]).toMatch(/^ {2}--dry-run /mu);
  }
  expect((await call('jobs', 'list'))[1]).toBe(list);
  expect(await call('jobs', 'retry', '--all')).toEqual([0, '2 jobs queued for retry.', '']);
  await archive.runJobs();
  for (const { email } of [first, second]) await archive.inbox.next(email, 'Verify your email address');
  expect(await call('jobs', 'retry', '--all', '--dry-run')).toEqual([
    0,
    '0 jobs would be retried.',
    'Dry run: nothing was changed.',
  ]);
});

test('jobs retry --all retries all failed jobs except those deleted with jobs drop', async () => {
  const [first, second, third] = [await createFailedJob(), await createFailedJob(), await createFailedJob()];
  expect(await call('jobs', 'drop', third.id)).toEqual([0, `Job ${third.id} was deleted.`, '']);
  expect(await call('jobs', 'retry', '--all')).toEqual([0, '2 jobs queued for retry.', '']);
  await archive.runJobs();
  for (const { email } of [first, second]) await archive.inbox.next(email, 'Verify your email address');
  expect(archive.inbox.to(third.email)).toEqual([]);
  expect(await call('jobs', 'retry', '--all')).toEqual([0, '0 jobs queued for retry.', '']);
});

test('jobs list exits with 0 if a failed job has attempts left', async () => {
  archive.inbox.refuse(true);
  await archive.signUp();
  await archive.runJobs();
  archive.inbox.refuse(false);
  const [code, list] = await call('jobs', 'list');
  expect([code, list]).toEqual([0, expect.stringMatching(/identity:verification-mail {2}1 of 31 attempts, next at /u)]);
});

test('jobs retry and jobs drop reject unknown and invalid IDs', async () => {
  expect(await call('jobs', 'retry', absent)).toEqual([
    1,
    '',
    `There is no failed job ${absent}. To list the failed jobs, run "jobs list".`,
  ]);
  expect((await call('jobs', 'drop', absent))[2]).toContain(`There is no job ${absent}`);
  for (const wrong of ["1'; drop table accounts; --", 'x', '15'])
    expect((await call('jobs', 'drop', wrong))[2]).toContain('is not the ID of a job');
  expect((await call('jobs', 'retry'))[2]).toContain('or add --all');
  expect((await call('jobs', 'retry', '1', '--all'))[2]).toContain('or add --all');
});

test('mail bounced marks an address in any capitalization and tells its owner', async () => {
  const visitor = await archive.signUpVerified();
  expect(await call('mail', 'bounced', visitor.email, '--dry-run')).toEqual([
    0,
    'One account would be marked.',
    'Dry run: nothing was changed.',
  ]);
  expect((await visitor.device.call('GET /api/identity/verification')).undelivered).toBeNull();
  expect((await call('mail', 'bounced', 'nobody@mail.example', '--dry-run'))[2]).toContain(
    'No account has this address',
  );
  expect((await call('mail', 'bounced', '--help'))[1]).toMatch(/^ {2}--dry-run /mu);
  const [code, stdout] = await call('mail', 'bounced', ` ${visitor.email.toUpperCase()}`);
  expect([code, stdout]).toEqual([
    0,
    'Marked. At the next visit, the owner sees that email to this address cannot be delivered.',
  ]);
  expect((await visitor.device.call('GET /api/identity/verification')).undelivered).toEqual({
    email: visitor.email,
    fault: 'reported',
  });
  expect((await call('mail', 'bounced', 'nobody@mail.example'))[2]).toContain('No account has this address');
  expect((await call('mail', 'bounced', 'nobody'))[2]).toBe(
    '"nobody" is not a valid email address. Example: ada@mail.example',
  );
});

test('mail bounced ends the question to an address about a claim', async () => {
  const claimant = await archive.createMember();
  const entryId = await addEntryOf(archive, claimant, { email: 'old-campus@mail.example' });
  await archive.pool.query(
    `insert into claims (account_id, typed, agreeing_entry, entry_told_at) values ($1, '{}', $2, now() - interval '8 days')`,
    [claimant.uid, entryId],
  );
  const bounced = (...more: string[]) => call('mail', 'bounced', 'old-campus@mail.example', ...more);
  expect((await bounced('--dry-run'))[1]).toBe('Claims that would no longer count as asked: 1.');
  expect(await bounced()).toEqual([0, 'Claims that no longer count as asked: 1. Staff decide them one by one.', '']);
  expect((await bounced())[2]).toContain('it was not asked about a claim');
});

test('jobs recreate keeps failed and waiting jobs', async () => {
  const { id } = await createFailedJob();
  const readJobs = async () => (await findQueued(archive.context.db)).map((job) => job.id).toSorted();
  const before = await readJobs();
  expect(before).toContain(id);
  expect(await call('jobs', 'recreate', '--dry-run')).toEqual([
    0,
    `The queue would be recreated with ${before.length} jobs.`,
    'Dry run: nothing was changed.',
  ]);
  expect(await call('jobs', 'recreate')).toEqual([0, `The queue was recreated with ${before.length} jobs.`, '']);
  expect(await readJobs()).toEqual(before);
});

import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { importPerson } from '#server/domain/people/import-person.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { nightlyCleanUpJob } from '../jobs.ts';

/* Accounts with an unverified address are deleted after seven days. */

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

async function cleanUp(): Promise<void> {
  await nightlyCleanUpJob.queue(archive.context.db, {});
  await archive.runJobs();
}

async function accountsOf(...emails: string[]): Promise<string[]> {
  const { rows } = await archive.pool.query<{ email: string }>(
    'select email from accounts where email = any($1) order by email',
    [emails],
  );
  return rows.map(({ email }) => email);
}

test('the nightly job deletes an account that was not verified within seven days, as announced in its email', async () => {
  const { email, uid, device } = await archive.signUp('unverified@mail.example');
  await archive.runJobs();
  const { rows } = await archive.pool.query<{ day: string }>(
    `select to_char((verify_by at time zone 'UTC')::date, 'FMDD FMMonth YYYY') as day from accounts where id = $1`,
    [uid],
  );
  const mail = await archive.inbox.next(email, 'Verify your email address');
  expect(mail.text).toContain(`If you do not verify the address by ${rows[0]?.day}, the account will be deleted.`);
  await archive.advanceTime('6 days 23 hours');
  await cleanUp();
  expect(await accountsOf(email)).toEqual([email]);
  await archive.advanceTime('1 hour 1 second');
  await cleanUp();
  expect(await accountsOf(email)).toEqual([]);
  expect((await device.call('GET /api/identity/session')).user).toBeNull();
  const left = await archive.pool.query(
    `select from sessions where account_id = $1 union all select from action_codes where account_id = $1
     union all select from known_devices where account_id = $1`,
    [uid],
  );
  expect(left.rowCount).toBe(0);
  // The mailbox was never verified: it gets no mail and can sign up again.
  expect(archive.inbox.to(email)).toEqual([]);
  await archive.signUp(email);
});

test('the nightly job keeps accounts that are verified, imported or disabled, or that have a new address', async () => {
  const verified = await archive.signUpVerified('verified@mail.example');
  const moved = await archive.signUp('before@mail.example');
  const disabled = await archive.signUp('disabled@mail.example');
  await archive.pool.query('update accounts set disabled_at = now() where id = $1', [disabled.uid]);
  await importPerson(archive.context, {
    account: { email: 'imported@mail.example', emailVerified: false, passwordHash: null },
    profile: null,
  });
  await archive.advanceTime('6 days');
  await moved.device.call('POST /api/identity/reauthenticate', { body: { password: moved.password } });
  await moved.device.call('POST /api/identity/email', { body: { email: 'after@mail.example' } });
  await archive.advanceTime('2 days');
  await cleanUp();
  const emails = ['after@mail.example', disabled.email, 'imported@mail.example', verified.email];
  expect(await accountsOf(...emails, 'before@mail.example')).toEqual(emails);
  await archive.advanceTime('6 days');
  await cleanUp();
  expect(await accountsOf(...emails)).toEqual(emails.slice(1));
});

test('the nightly job deletes no account while the clock is not steady', async () => {
  const { email } = await archive.signUp('jumped@mail.example');
  await archive.pool.query(`update accounts set verify_by = now() - interval '1 day' where email = $1`, [email]);
  await archive.pool.query('update clock set steady_since = now()');
  await cleanUp();
  expect(await accountsOf(email)).toEqual([email]);
  await archive.pool.query(`update clock set steady_since = now() - interval '1 year'`);
  await cleanUp();
  expect(await accountsOf(email)).toEqual([]);
});

test('the nightly job deletes the remaining accounts if one deletion fails', async () => {
  const stuck = await archive.signUp('stuck@mail.example');
  const other = await archive.signUp('other@mail.example');
  await archive.pool.query(
    `create function refuse_deletion() returns trigger language plpgsql as $$ begin
       if old.email = 'stuck@mail.example' then raise exception 'refused'; end if; return old; end $$`,
  );
  await archive.pool.query(
    'create trigger refuse before delete on accounts for each row execute function refuse_deletion()',
  );
  const verified = await archive.signUpVerified();
  await archive.pool.query(`update accounts set verify_by = now() - interval '1 day' where id = any($1)`, [
    [stuck.uid, other.uid],
  ]);
  await archive.pool.query(`update sessions set expires_at = now() - interval '1 day' where account_id = $1`, [
    verified.uid,
  ]);
  try {
    await cleanUp();
    expect(await accountsOf(stuck.email, other.email)).toEqual([stuck.email]);
    const sessions = await archive.pool.query('select from sessions where account_id = $1', [verified.uid]);
    expect(sessions.rowCount).toBe(0);
  } finally {
    await archive.pool.query('drop function refuse_deletion cascade');
  }
});

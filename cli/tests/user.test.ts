import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { termsVersion as terms } from '#contract/terms.ts';
import { createSecretBox } from '#server/platform/crypto/secret-box.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { findCode } from '#server/testing/inbox.ts';
import { cleanUp, newFolder, run } from '#server/testing/server-process.ts';
import { SoftPasskey } from '#server/testing/passkey.ts';
import { addPasskey, computeAppCode, createMemberWithApp, typePassword } from '#server/testing/second-factor.ts';
import { type CommandResult, createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const user = (...words: string[]): Promise<CommandResult> => runCommand(createSettings(archive), 'user', ...words);
const password = 'a long enough word';

async function readRowsAbout({ uid }: Member): Promise<unknown> {
  const { rows } = await archive.pool.query(
    `select
       (select jsonb_agg(to_jsonb(l) order by audience) from listings l where account_id = $1) as listings,
       (select to_jsonb(p) - 'picture' from profiles p where account_id = $1) as profile,
       (select to_jsonb(a) from accounts a where id = $1) as account,
       (select jsonb_agg(to_jsonb(p) - 'picture' order by id) from photos p where account_id = $1) as photos,
       (select jsonb_agg(to_jsonb(n) order by id) from notifications n where account_id = $1) as notices,
       (select jsonb_agg(to_jsonb(c) order by audience, department, college, program, year_graduated)
        from listing_counts c where people > 0) as counts,
       (select jsonb_agg(word order by word) from search_words) as words`,
    [uid],
  );
  const [found] = rows as { listings: { picture: string | null }[] | null }[];
  return { ...found, listings: found?.listings?.map((listing) => ({ ...listing, picture: 'moved' })) };
}

describe('user commands', () => {
  test('change nothing if the audit log cannot be written', async () => {
    const { email } = await archive.signUp();
    // A folder instead of the file, because root can write to any file.
    const folder = newFolder();
    await createSecretBox(folder).ensureKey();
    mkdirSync(join(folder, 'operator.log'));
    const settings = { ...createSettings(archive), DATA_DIR: folder };
    for (const words of [
      ['disable', email],
      ['reset-second-factor', email, '--yes'],
      ['delete', email, '--yes'],
      ['sign-out', email],
      ['sign-out', '--all', '--yes'],
    ])
      expect(await runCommand(settings, 'user', ...words)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Cannot write the audit log .*operator\.log \(EISDIR\)\. Nothing was changed\./u),
      });
    expect((await user('show', email)).stdout).not.toMatch(/^Disabled/mu);
    expect((await user('show', email)).stdout).toMatch(/^Sessions +1$/mu);
  });
});

describe('user disable', () => {
  test(
    'ends all sessions, and tells only users who enter the correct password that the account is disabled',
    { tags: ['asvs-7.4.2', 'asvs-7.4.5'] },
    async () => {
      const { device, email } = await archive.createMember();
      expect(await user('disable', email.toUpperCase())).toMatchObject({ code: 0, stderr: '' });
      expect(await device.call('GET /api/identity/session')).toEqual({ user: null });
      const other = archive.openDevice();
      const problem = await other.problem('POST /api/identity/sign-in', { body: { email, password } });
      expect(problem).toMatchObject({ status: 403, code: 'auth/user-disabled', title: 'The account is disabled' });
      expect(other.cookies.has('sid')).toBe(false);
      const wrong = { body: { email, password: 'a wrong word' } };
      expect(await archive.openDevice().code('POST /api/identity/sign-in', wrong)).toBe('auth/invalid-credential');
    },
  );

  test('rejects second factors and passkeys, including sign-ins that started before', async () => {
    const visitor = await createMemberWithApp(archive);
    const passkey = new SoftPasskey();
    await addPasskey(visitor.device, passkey, 'Phone');
    const before = await typePassword(archive, visitor);
    await user('disable', visitor.uid);
    const proof = { body: { code: computeAppCode(visitor.secret) } };
    expect(await before.code('POST /api/identity/sign-in/second-factor', proof)).toBe('auth/sign-in-expired');
    // A correct password alone does not reveal that the account is disabled: the second step is required as before.
    const after = await typePassword(archive, visitor);
    expect(await after.code('POST /api/identity/sign-in/second-factor', proof)).toBe('auth/user-disabled');
    const device = archive.openDevice();
    const options = await device.call('POST /api/identity/sign-in/passkey/options');
    const signed = { body: { passkey: passkey.get(options) } };
    expect(await device.code('POST /api/identity/sign-in/passkey', signed)).toBe('auth/user-disabled');
    expect([after, device].some(({ cookies }) => cookies.has('sid'))).toBe(false);
  });

  test('stops emails to the account and invalidates emailed links', async () => {
    const { email } = await archive.signUpVerified();
    const ask = () => archive.openDevice().call('POST /api/identity/password-reset', { body: { email } });
    await ask();
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(email, 'Choose a new password'));
    await ask();
    // A sign-in from a new browser sends a security email.
    await archive.openDevice().call('POST /api/identity/sign-in', { body: { email, password } });
    await user('disable', email);
    await ask();
    await archive.runJobs();
    expect(archive.inbox.to(email)).toEqual([]);
    const reset = { body: { code, password: 'another long word' } };
    expect(await archive.openDevice().code('POST /api/identity/password-reset/confirm', reset)).toBe(
      'auth/invalid-action-code',
    );
    await user('enable', email);
    expect(await archive.openDevice().code('POST /api/identity/password-reset/confirm', reset)).toBe(
      'auth/invalid-action-code',
    );
  });

  test('rejects the recovery link for the former address until the account is enabled', async () => {
    const { device, email } = await archive.signUpVerified();
    const moved = 'moved@mail.example';
    await device.call('POST /api/identity/email', { body: { email: moved } });
    await archive.runJobs();
    const change = findCode(await archive.inbox.next(moved, 'Confirm your new email address'));
    await device.call('POST /api/identity/action-code/apply', { body: { code: change } });
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(email, 'Your email address was changed'));
    await user('disable', moved);
    const guest = archive.openDevice();
    expect(await guest.code('POST /api/identity/action-code/check', { body: { code } })).toBe(
      'auth/invalid-action-code',
    );
    expect(await guest.code('POST /api/identity/action-code/apply', { body: { code } })).toBe(
      'auth/invalid-action-code',
    );
    await user('enable', moved);
    expect(await guest.call('POST /api/identity/action-code/apply', { body: { code } })).toMatchObject({ email });
  });

  test('keeps the address reserved for sign-up and change of address', async () => {
    const { email } = await archive.signUp();
    await user('disable', email);
    const body = { email, password, terms };
    expect(await archive.openDevice().code('POST /api/identity/sign-up', { body })).toBe('auth/email-already-in-use');
    const { device } = await archive.signUpVerified();
    expect(await device.code('POST /api/identity/email', { body: { email } })).toBe('auth/email-already-in-use');
  });

  test('blocks messages to and from the account, including queued ones', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    const text = { text: 'Hello', shareEmail: false };
    await ada.device.call('POST /api/users/{id}/messages', { params: { id: ben.uid }, body: text });
    await ben.device.call('POST /api/users/{id}/messages', { params: { id: ada.uid }, body: text });
    await user('disable', ada.email);
    await archive.runJobs();
    expect([...archive.inbox.to(ada.email), ...archive.inbox.to(ben.email)]).toEqual([]);
    const again = { params: { id: ada.uid }, body: text };
    expect(await ben.device.code('POST /api/users/{id}/messages', again)).toBe('not-found');
    const whom = { params: { id: ada.uid } };
    expect(await ben.device.code('GET /api/users/{id}/contact', whom)).toBe('not-found');
  });

  test('creates no notifications for the account', async () => {
    const ada = await archive.createMember({ department: 'Silence' });
    const ben = await archive.createMember({ department: 'Silence' });
    await archive.advanceTime('1 hour');
    await archive.runJobs();
    await archive.pool.query('delete from notifications');
    await user('disable', ada.email);
    await archive.createMember({ department: 'Silence' });
    await archive.advanceTime('1 hour');
    await archive.runJobs();
    const { rows } = await archive.pool.query<{ account_id: string }>(
      `select account_id from notifications where kind = 'joined'`,
    );
    expect(rows.map(({ account_id }) => account_id)).toEqual([ben.uid]);
  });

  test('hides the profile, list entries, photos, albums and known picture URLs', async () => {
    const ada = await archive.createMember({ lastName: 'Switchoff', department: 'Vanishing' });
    const photo = { title: 'A lamp', album: 'Switches', audience: 'everyone', image: await smallPicture() } as const;
    await ada.device.call('POST /api/gallery/photos', { body: photo });
    const member = await archive.createMember();
    const guest = archive.openDevice();
    const { imgURL } = await guest.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    const { items } = await guest.call('GET /api/gallery/photos', { query: { album: 'switches' } });
    const addresses = [imgURL ?? '', items[0]?.src ?? '', items[0]?.thumb ?? ''];
    for (const address of addresses) expect((await guest.fetch('GET', address)).statusCode, address).toBe(200);

    await user('disable', ada.email);
    archive.context.listCache.clear();
    for (const { device } of [member, { device: guest }]) {
      const whom = { params: { id: ada.uid }, query: {} };
      expect(await device.code('GET /api/users/{id}', whom)).toBe('not-found');
      expect((await device.call('GET /api/search', { query: { q: 'Switchoff' } })).count).toBe(0);
      const { departments } = await device.call('GET /api/users/facets', { query: {} });
      expect(departments.map(({ value }) => value)).not.toContain('Vanishing');
      expect((await device.call('GET /api/gallery/photos', { query: { album: 'switches' } })).items).toEqual([]);
      const { albums } = await device.call('GET /api/gallery/albums');
      expect(albums.map(({ key }) => key)).not.toContain('switches');
    }
    for (const address of addresses) expect((await guest.fetch('GET', address)).statusCode, address).toBe(404);
    const words = await archive.pool.query(`select from search_words where word = 'switchoff'`);
    expect(words.rowCount).toBe(0);
  });

  test('is undone completely by user enable, including the position in lists', async () => {
    const ada = await archive.createMember({ lastName: 'Backagain' });
    await ada.device.call('PUT /api/users/{id}/privacy', {
      params: { id: ada.uid },
      body: { visibility: { department: 'members', bio: 'me' }, version: 'any' },
    });
    await ada.device.call('POST /api/gallery/photos', {
      body: { title: 'A door', album: 'Doors', audience: 'members', image: await smallPicture() },
    });
    await archive.advanceTime('3 days');
    await archive.runJobs();
    const before = await readRowsAbout(ada);
    await user('disable', ada.email);
    expect(await readRowsAbout(ada)).not.toEqual(before);
    await user('enable', ada.email);
    expect(await readRowsAbout(ada)).toEqual(before);
    const { device } = await archive.createMember();
    const { imgURL } = await device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    expect((await device.fetch('GET', imgURL ?? '')).statusCode).toBe(200);
    const signIn = { body: { email: ada.email, password } };
    expect((await archive.openDevice().call('POST /api/identity/sign-in', signIn)).user.uid).toBe(ada.uid);
  });

  test('followed by user enable keeps a profile hidden that its owner had hidden', async () => {
    const ada = await archive.createMember();
    await ada.device.call('PUT /api/users/{id}/privacy', {
      params: { id: ada.uid },
      body: { isHidden: true, version: 'any' },
    });
    await user('disable', ada.email);
    await user('enable', ada.email);
    const whom = { params: { id: ada.uid }, query: {} };
    expect(await archive.openDevice().code('GET /api/users/{id}', whom)).toBe('not-found');
  });

  test('succeeds if a picture of the account is missing on disk', async () => {
    const ada = await archive.createMember();
    const { rows } = await archive.pool.query<{ picture: string }>(
      'select picture from profiles where account_id = $1',
      [ada.uid],
    );
    await archive.context.media.moveToTrash(rows[0]?.picture ?? '');
    expect(await user('disable', ada.email)).toMatchObject({ code: 0 });
  });

  test('leaves no session of a concurrent sign-in', { tags: ['asvs-7.4.2'] }, async () => {
    for (let round = 0; round < 6; round++) {
      const { email, uid } = await archive.signUpVerified();
      const device = archive.openDevice();
      await Promise.all([
        device.ask('POST /api/identity/sign-in', { body: { email, password } }),
        user('disable', uid),
      ]);
      expect(await device.call('GET /api/identity/session')).toEqual({ user: null });
      const { rowCount } = await archive.pool.query('select from sessions where account_id = $1', [uid]);
      expect(rowCount).toBe(0);
    }
  });
});

describe('the user command', () => {
  test('supports --dry-run for disabling an account, and writes an audit line without personal data', async () => {
    const { email, uid } = await archive.createMember();
    const plan = await user('disable', email, '--dry-run');
    expect(plan.stdout).toMatch(new RegExp(`^${email} would be disabled:\n(?:.*\n)*Sessions +1$`, 'mu'));
    expect((await user('show', email)).stdout).not.toMatch(/^Disabled/mu);
    await user('disable', email);
    expect((await user('show', email)).stdout).toMatch(/^Disabled +20/mu);
    expect((await user('disable', email)).stdout).toBe(`${email} was already disabled. Nothing was changed.`);
    expect((await user('enable', email, '--dry-run')).stdout).toContain(`${email} would be enabled:`);
    await user('enable', email);
    expect((await user('enable', email)).stdout).toBe(`${email} was already enabled. Nothing was changed.`);
    const log = readFileSync(join(archive.context.config.dataDir, 'operator.log'), 'utf8');
    const lines = log.trim().split('\n');
    expect(lines.slice(-2).map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
      'account disabled by the operator',
      'account enabled by the operator',
    ]);
    expect(log).not.toContain(uid);
    expect(log).not.toContain(email);
  });

  test('fails with a message for an unknown address', async () => {
    for (const act of ['show', 'disable', 'enable', 'delete'])
      expect(await user(act, 'nobody@mail.example')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('There is no account with the address or ID "nobody@mail.example".'),
      });
  });

  test('shows an account without its secrets', async () => {
    const visitor = await createMemberWithApp(archive);
    const { stdout } = await user('show', visitor.uid);
    expect(stdout).toMatch(new RegExp(`^Address +${visitor.email}\nVerified +yes\nID +${visitor.uid}$`, 'mu'));
    expect(stdout).toMatch(/^Password +set\nAuthenticator +yes\nPasskeys +0\nRecovery codes +10$/mu);
    const { rows } = await archive.pool.query<{ hash: string }>(
      'select password_hash as hash from accounts where id = $1',
      [visitor.uid],
    );
    expect(rows[0]?.hash).toMatch(/^\$argon2id/u);
    expect(stdout).not.toContain('argon2id');
  });

  test('requires --yes to delete an account, and deletes all its data', async () => {
    const { device, email, uid } = await archive.createMember({ lastName: 'Forgotten' });
    const plan = await user('delete', email, '--dry-run');
    expect(plan).toMatchObject({ code: 0, stderr: 'Dry run: nothing was changed.' });
    expect(plan.stdout).toMatch(/^Sessions +1$/mu);
    expect(await user('delete', email)).toMatchObject({
      code: 1,
      stderr: 'Nothing was changed. To make this change, add --yes.',
    });
    expect((await user('show', uid)).code).toBe(0);
    await user('disable', uid);
    expect(await user('delete', email, '--yes')).toMatchObject({ code: 0, stderr: '' });
    expect((await user('show', uid)).code).toBe(1);
    expect(await device.call('GET /api/identity/session')).toEqual({ user: null });
    await archive.runJobs();
    expect((await archive.inbox.next(email, 'Your account was deleted')).to).toBe(email);
    const { rowCount } = await archive.pool.query(`select from search_words where word = 'forgotten'`);
    expect(rowCount).toBe(0);
  });

  test('shows when an account with a pending deletion will be deleted, and can delete it earlier', async () => {
    const { device, email, uid } = await archive.createMember();
    await device.call('POST /api/identity/email', { body: { email: 'pending@mail.example' } });
    await archive.runJobs();
    const code = findCode(await archive.inbox.next('pending@mail.example', 'Confirm your new email address'));
    await device.call('POST /api/identity/action-code/apply', { body: { code } });
    expect((await user('show', uid)).stdout).not.toMatch(/^Deletion/mu);
    const { deletesAt } = await device.call('DELETE /api/identity/account');
    expect((await user('show', uid)).stdout).toContain(`Deletion pending until  ${deletesAt}`);
    const folder = join(newFolder(), 'all');
    expect(await runCommand(createSettings(archive), 'export', folder)).toMatchObject({ code: 0 });
    for (const file of ['accounts.jsonl', 'profiles.jsonl', 'people.csv'])
      expect(readFileSync(join(folder, file), 'utf8'), file).not.toContain('pending@mail.example');
    expect(await user('delete', uid, '--yes')).toMatchObject({ code: 0 });
    expect((await user('show', uid)).code).toBe(1);
    await archive.runJobs();
    expect(archive.inbox.to(email).map(({ subject }) => subject)).not.toContain('Your account will be deleted');
  });

  test('sets the exit code of the process', { tags: ['release'] }, async () => {
    const { email } = await archive.signUp();
    // Not 1, which is also Node's code for an uncaught error.
    for (const [code, words] of [
      [0, ['user', 'show', email]],
      [2, ['user', 'show']],
    ] as const) {
      const command = [process.execPath, 'scripts/archive.ts', ...words];
      const { child, output } = await run(asText(createSettings(archive)), command);
      expect(child.exitCode, output).toBe(code);
      expect(output).not.toContain('node:internal');
    }
    await cleanUp();
  });
});

describe('user sign-out', () => {
  const countSignInRows = async (uid: string): Promise<number> => {
    const { rows } = await archive.pool.query<{ left: number }>(
      `select ((select count(*) from sessions where account_id = $1) +
         (select count(*) from pending_sign_ins where account_id = $1) +
         (select count(*) from challenges where account_id = $1) +
         (select count(*) from known_devices where account_id = $1))::int as left`,
      [uid],
    );
    return rows[0]?.left ?? 0;
  };

  test('ends all sessions and unfinished sign-ins of one account only', async () => {
    const owner = await createMemberWithApp(archive);
    await addPasskey(owner.device, new SoftPasskey(), 'Phone');
    const waiting = await typePassword(archive, owner);
    await waiting.call('POST /api/identity/sign-in/second-factor/options');
    const ben = await archive.createMember();
    const plan = await user('sign-out', owner.email, '--dry-run');
    expect(plan).toMatchObject({ code: 0, stderr: 'Dry run: nothing was changed.' });
    expect(plan.stdout).toMatch(new RegExp(`^${owner.email} would be signed out:\n(?:.*\n)*Sessions +1$`, 'mu'));
    expect((await owner.device.call('GET /api/identity/session')).user?.uid).toBe(owner.uid);

    const done = await user('sign-out', owner.email.toUpperCase());
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain(`${owner.email} was signed out. Recorded in `);
    expect(await owner.device.call('GET /api/identity/session')).toEqual({ user: null });
    const proof = { body: { code: computeAppCode(owner.secret) } };
    expect(await waiting.code('POST /api/identity/sign-in/second-factor', proof)).toBe('auth/sign-in-expired');
    expect(await countSignInRows(owner.uid)).toBe(0);
    expect((await ben.device.call('GET /api/identity/session')).user?.uid).toBe(ben.uid);
    const log = readFileSync(join(archive.context.config.dataDir, 'operator.log'), 'utf8');
    expect(log.trim().split('\n').at(-1)).toContain('account signed out by the operator');
    expect(log).not.toContain(owner.email);

    // A known browser may belong to an attacker, so its next sign-in sends a security email.
    await user('sign-out', ben.uid);
    await ben.device.call('POST /api/identity/sign-in', { body: { email: ben.email, password } });
    await archive.runJobs();
    expect((await archive.inbox.next(ben.email, 'New sign-in to your account')).to).toBe(ben.email);
  });

  test('ends the sessions of everyone with --all --yes', async () => {
    const owner = await createMemberWithApp(archive);
    const waiting = await typePassword(archive, owner);
    const ben = await archive.createMember();
    const { rows } = await archive.pool.query<{ count: number }>('select count(*)::int as count from sessions');
    const plan = `Would end ${rows[0]?.count} sessions of all accounts.`;
    expect(await user('sign-out', '--all')).toEqual({
      code: 1,
      stdout: plan,
      stderr: 'Nothing was changed. To make this change, add --yes.',
    });
    expect(await user('sign-out', '--all', '--yes', '--dry-run')).toEqual({
      code: 0,
      stdout: plan,
      stderr: 'Dry run: nothing was changed.',
    });
    expect((await ben.device.call('GET /api/identity/session')).user?.uid).toBe(ben.uid);
    expect((await user('sign-out', '--all', '--yes')).stdout).toContain(
      `Signed out everyone: ended ${rows[0]?.count} sessions.`,
    );
    for (const { device } of [owner, ben])
      expect(await device.call('GET /api/identity/session')).toEqual({ user: null });
    const proof = { body: { code: computeAppCode(owner.secret) } };
    expect(await waiting.code('POST /api/identity/sign-in/second-factor', proof)).toBe('auth/sign-in-expired');
    expect([await countSignInRows(owner.uid), await countSignInRows(ben.uid)]).toEqual([0, 0]);
    const log = readFileSync(join(archive.context.config.dataDir, 'operator.log'), 'utf8');
    expect(log.trim().split('\n').at(-1)).toContain('all accounts signed out by the operator');
    const { user: again } = await ben.device.call('POST /api/identity/sign-in', {
      body: { email: ben.email, password },
    });
    expect(again.uid).toBe(ben.uid);
  });

  test('requires either an address or --all', async () => {
    const { email } = await archive.signUp();
    for (const words of [[], [email, '--all']])
      expect(await user('sign-out', ...words)).toMatchObject({
        code: 1,
        stderr: 'Missing argument: name an EMAIL, or add --all.',
      });
    expect((await user('sign-out', 'nobody@mail.example')).stderr).toContain('There is no account');
    expect((await user('sign-out', '--help')).stdout).toMatch(/^ {2}--dry-run /mu);
  });

  test('leaves no session of a sign-in that completes concurrently', async () => {
    for (let round = 0; round < 6; round++) {
      const { device } = await archive.createMember();
      const owner = await createMemberWithApp(archive);
      const waiting = await typePassword(archive, owner);
      const proof = { body: { code: computeAppCode(owner.secret) } };
      await Promise.all([
        waiting.ask('POST /api/identity/sign-in/second-factor', proof),
        user('sign-out', '--all', '--yes'),
      ]);
      expect(await device.call('GET /api/identity/session')).toEqual({ user: null });
      expect(await waiting.call('GET /api/identity/session')).toEqual({ user: null });
    }
  });
});

const asText = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value ?? '']));

describe('user reset-second-factor', () => {
  test('requires --yes, removes all second factors, and emails the owner', async () => {
    const owner = await createMemberWithApp(archive);
    await addPasskey(owner.device, new SoftPasskey(), 'Phone');
    const before = await user('reset-second-factor', owner.email);
    expect(before).toMatchObject({ code: 1, stderr: 'Nothing was changed. To make this change, add --yes.' });
    expect(before.stdout).toMatch(/^Authenticator +yes\nPasskeys +1$/mu);
    expect(await user('reset-second-factor', owner.email, '--dry-run')).toMatchObject({
      code: 0,
      stderr: 'Dry run: nothing was changed.',
    });
    const waiting = await typePassword(archive, owner);
    expect(await user('reset-second-factor', owner.email, '--yes')).toMatchObject({ code: 0, stderr: '' });
    // Unfinished sign-ins and recovery codes are invalid as well.
    const proof = { body: { code: computeAppCode(owner.secret) } };
    expect(await waiting.code('POST /api/identity/sign-in/second-factor', proof)).toBe('auth/sign-in-expired');
    const { user: signedIn } = await archive.openDevice().call('POST /api/identity/sign-in', {
      body: { email: owner.email, password: owner.password },
    });
    expect(signedIn.uid).toBe(owner.uid);
    const { rows } = await archive.pool.query('select from recovery_codes where account_id = $1', [owner.uid]);
    expect(rows).toEqual([]);
    await archive.runJobs();
    const mail = await archive.inbox.next(owner.email, 'Your second sign-in step was removed');
    expect(mail.text).toContain('Two-step sign-in is off');
    const log = readFileSync(join(archive.context.config.dataDir, 'operator.log'), 'utf8');
    expect(log).toContain('second factor removed by the operator');
    expect(log).not.toContain(owner.email);
    expect(await user('reset-second-factor', owner.email, '--yes')).toMatchObject({
      stdout: `${owner.email} has no second factor. Nothing was changed.`,
    });
  });
});

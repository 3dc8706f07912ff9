import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { requireConfirmation, removeConfirmation } from '#server/domain/membership/membership-mode.ts';
import { requireMembershipMode } from '#server/startup/membership-mode.ts';
import { gracePeriodsJob } from '#server/features/identity/jobs.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { type CommandResult, createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeEach(async () => {
  archive = await openArchive(inject('databases'));
});
afterEach(() => archive.close());
afterAll(cleanUp);

function membership(mode: 'open' | 'confirmed', ...words: string[]): Promise<CommandResult> {
  const file = join(newFolder(), 'institution.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...institution, membership: mode }));
  return runCommand({ ...createSettings(archive), INSTITUTION_FILE: file }, 'membership', ...words);
}

async function addToRoster({ document, email }: Member, more: Record<string, unknown> = {}): Promise<void> {
  const { name, academic, dob } = document;
  const row = {
    matric_key: academic.matricNumber.toUpperCase().replaceAll(/[^A-Z0-9]/gu, ''),
    matric_number: academic.matricNumber,
    last_name: name.last,
    first_name: name.first,
    birth_date: dob,
    department: academic.department,
    year_graduated: academic.year.graduated,
    email,
    words: [],
    first_import: 1,
    last_import: 1,
    ...more,
  };
  const names = Object.keys(row);
  await archive.pool.query(
    `insert into roster_entries (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(row),
  );
}

async function readListings(): Promise<unknown[]> {
  const { rows } = await archive.pool.query(
    `select account_id, audience, listed_at::text, name, search::text from listings order by account_id, audience`,
  );
  return rows;
}

/** Runs the scheduled job twice, because the second run must not repeat anything. */
async function pass(interval: string): Promise<void> {
  await archive.advanceTime(interval);
  for (let run = 0; run < 2; run++) {
    await gracePeriodsJob.queue(archive.context.db, {});
    await archive.runJobs();
  }
  archive.context.listCache.clear();
}

const isSeen = async ({ uid }: Member) => {
  const { items } = await archive.openDevice().call('GET /api/users', { query: { limit: 96 } });
  return items.some(({ id }) => id === uid);
};
/** Signs in first, because sessions expire during a long grace period. */
async function isMember({ device, email, password }: Member): Promise<boolean> {
  await device.call('POST /api/identity/sign-in', { body: { email, password } });
  const response = await device.ask('PUT /api/blocks/{id}', { params: { id: '00000000-0000-4000-8000-000000000000' } });
  return response.statusCode === 404;
}
const mailsTo = ({ email }: Member) => archive.inbox.to(email).filter(({ text }) => text.includes('/confirm'));

describe('membership require-confirmation', () => {
  test('is refused unless the institution file has the mode, and names the line to add', async () => {
    expect(await membership('open', 'require-confirmation')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Nothing was changed\. First add this line to .*"membership": "confirmed",/u),
    });
    expect((await membership('confirmed', 'status')).stdout).toMatch(/^Mode +open/mu);
  });

  test.each(['90', '-1d', '1e9d', '9999d', 'soon'])('refuses --grace %s', async (grace) => {
    expect(await membership('confirmed', 'require-confirmation', `--grace=${grace}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--grace takes a number of days'),
    });
  });

  test('reports with --dry-run whom the roster confirms, and changes nothing', async () => {
    const [ada, ben, cleo] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    await addToRoster(ada);
    // The mailbox has a new owner.
    await addToRoster(ben, { birth_date: '1950-01-01' });
    await addToRoster(cleo, { email: 'other@mail.example' });
    const before = await readListings();
    const { code, stdout } = await membership('confirmed', 'require-confirmation', '--dry-run');
    expect(code).toBe(0);
    expect(stdout).toContain('Members: 3, of whom 0 are confirmed already.');
    expect(stdout).toContain('Would be confirmed at once, by email address and date of birth: 1.');
    expect(stdout).toContain('Would remain unconfirmed: 2.');
    expect(stdout).toContain('whose matric number is on the roster: 3.');
    expect(stdout).toContain('They would keep access for 90 days.');
    expect(await readListings()).toEqual(before);
    expect((await membership('open', 'status')).stdout).toMatch(/^Confirmed +0$/mu);
  });

  test.each([
    ['a confidential entry', { is_confidential: true }],
    ['an entry of a person who died', { is_deceased: true }],
    ['an entry that is no longer on the roster', { gone_since: 2 }],
    ['an entry without a date of birth', { birth_date: null }],
    ['an entry that two accounts have claimed', { contested_at: new Date() }],
    ['1 January, which stands for an unknown day', { birth_date: '1990-01-01' }, { dob: '1990-01-01' }],
  ])('confirms no one through %s', async (_, more, person?: { dob: string }) => {
    await addToRoster(await archive.createMember(person), more);
    const { stdout } = await membership('confirmed', 'require-confirmation', '--dry-run');
    expect(stdout).toContain('by email address and date of birth: 0.');
  });

  test('confirms no one who has already sent a claim, which may have had another birth date', async () => {
    const ada = await archive.createMember();
    await addToRoster(ada);
    await archive.pool.query(
      `insert into claims (account_id, typed, state) values ($1, '{"dob": "1950-05-17"}', 'withdrawn')`,
      [ada.uid],
    );
    const { stdout } = await membership('confirmed', 'require-confirmation', '--dry-run');
    expect(stdout).toContain('by email address and date of birth: 0.');
  });

  test('confirms no one whose address is on two entries with the same date of birth', async () => {
    const ada = await archive.createMember();
    await addToRoster(ada);
    await addToRoster(ada, { matric_key: 'TWIN1', matric_number: 'TWIN/1' });
    const { stdout } = await membership('confirmed', 'require-confirmation', '--dry-run');
    expect(stdout).toContain('by email address and date of birth: 0.');
  });

  test('confirms at once whom the roster confirms, and gives all others a grace period with three emails', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await addToRoster(ada);
    expect(await membership('confirmed', 'require-confirmation', '--grace', '90d')).toMatchObject({ code: 0 });
    expect((await membership('confirmed', 'status')).stdout).toMatch(/^Mode +confirmed[^]*^Confirmed +1$/mu);
    await pass('1 hour');
    for (const member of [ada, ben]) expect([await isSeen(member), await isMember(member)]).toEqual([true, true]);
    expect([mailsTo(ada).length, mailsTo(ben).length]).toEqual([0, 1]);
    // The sign-ins above must not cause a second mail.
    const counts: number[] = [];
    for (const interval of ['58 days', '2 days', '22 days', '2 days']) {
      await pass(interval);
      counts.push(mailsTo(ben).length);
    }
    expect(counts).toEqual([1, 2, 2, 3]);
    expect(await isSeen(ben)).toBe(true);
    await pass('6 days');
    expect([await isSeen(ben), await isMember(ben), mailsTo(ben).length]).toEqual([false, false, 3]);
    expect([await isSeen(ada), await isMember(ada), mailsTo(ada).length]).toEqual([true, true, 0]);
  });

  test('keeps rights and lists until the job ends the grace period, and ends none while the clock is not steady', async () => {
    const ada = await archive.createMember();
    await membership('confirmed', 'require-confirmation', '--grace', '1d');
    await archive.advanceTime('2 days');
    await archive.pool.query(`update clock set steady_since = now()`);
    await gracePeriodsJob.queue(archive.context.db, {});
    await archive.runJobs();
    expect([await isSeen(ada), await isMember(ada)]).toEqual([true, true]);
    await archive.pool.query(`update clock set steady_since = now() - interval '1 year'`);
    await pass('1 hour');
    expect([await isSeen(ada), await isMember(ada)]).toEqual([false, false]);
  });

  test('removes everyone at once with --grace 0d, and "membership open" restores their places', async () => {
    const [ada, ben] = [await archive.createMember(), await archive.createMember()];
    await ada.device.call('POST /api/gallery/photos', {
      body: { title: 'Gate', album: 'Campus', audience: 'everyone', image: await smallPicture() },
    });
    const { imgURL } = await archive.openDevice().call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    const { items: photos } = await archive.openDevice().call('GET /api/gallery/photos', { query: {} });
    const { src } = photos[0] as (typeof photos)[number];
    const pictures = (rows: unknown) => JSON.stringify(rows, (key, value: unknown) => (key === 'picture' ? '' : value));
    const before = pictures(await readListings());
    expect(await membership('confirmed', 'require-confirmation', '--grace', '0d')).toMatchObject({ code: 0 });
    archive.context.listCache.clear();
    expect(await readListings()).toEqual([]);
    const { rows: words } = await archive.pool.query('select word from search_words');
    expect(words).toEqual([]);
    for (const member of [ada, ben]) expect([await isSeen(member), await isMember(member)]).toEqual([false, false]);
    // The pictures get new URLs.
    await archive.runJobs();
    for (const url of [imgURL, src])
      expect((await archive.openDevice().fetch('GET', url ?? '')).statusCode, String(url)).toBe(404);
    expect(await membership('confirmed', 'open')).toMatchObject({ code: 1 });
    expect(await membership('open', 'open', '--dry-run')).toMatchObject({
      code: 0,
      stdout: '2 people would become members again.',
    });
    expect(await readListings()).toEqual([]);
    expect(await membership('open', 'open')).toMatchObject({ code: 0 });
    archive.context.listCache.clear();
    expect(pictures(await readListings())).toEqual(before);
    for (const member of [ada, ben]) expect([await isSeen(member), await isMember(member)]).toEqual([true, true]);
    expect((await archive.openDevice().call('GET /api/gallery/photos', { query: {} })).items).toHaveLength(1);
    expect((await membership('open', 'open')).stdout).toContain('Nothing was changed.');
  });

  test('shortens grace periods when it is repeated, and never extends them', async () => {
    const ada = await archive.createMember();
    const readEnd = async () =>
      (
        await archive.pool.query<{ days: number }>(
          `select round(extract(epoch from confirm_by - now()) / 86400)::int as days from accounts`,
        )
      ).rows[0]?.days;
    await membership('confirmed', 'require-confirmation', '--grace', '60d');
    await membership('confirmed', 'require-confirmation', '--grace', '90d');
    expect(await readEnd()).toBe(60);
    await membership('confirmed', 'require-confirmation', '--grace', '10d');
    expect(await readEnd()).toBe(10);
    await membership('confirmed', 'require-confirmation', '--grace', '0d');
    expect([await readEnd(), await isMember(ada)]).toEqual([null, false]);
  });

  test('takes access at once from accounts that staff rejected or that are disputed', async () => {
    const [ada, ben, cleo] = [await archive.createMember(), await archive.createMember(), await archive.createMember()];
    await archive.pool.query(`update accounts set membership_status = 'rejected' where id = $1`, [ada.uid]);
    await archive.pool.query(`update accounts set membership_status = 'disputed' where id = $1`, [ben.uid]);
    await membership('confirmed', 'require-confirmation', '--grace', '90d');
    archive.context.listCache.clear();
    expect([await isSeen(ada), await isSeen(ben), await isSeen(cleo)]).toEqual([false, false, true]);
    expect([await isMember(ada), await isMember(ben), await isMember(cleo)]).toEqual([false, false, true]);
  });
});

describe('an interrupted switch', () => {
  const stopAfter = (accounts: number) => () => {
    if (--accounts === 0) throw new Error('Interrupted');
  };

  test('to confirmed changes nothing that members notice, and completes when it is repeated', async () => {
    const ada = await archive.createMember();
    const before = await readListings();
    await expect(requireConfirmation(archive.context.db, 30, stopAfter(1))).rejects.toThrow('Interrupted');
    expect([await isMember(ada), await readListings()]).toEqual([true, before]);
    await membership('confirmed', 'require-confirmation', '--grace', '0d');
    expect([await isMember(ada), await readListings()]).toEqual([false, []]);
  });

  test('to open leaves every account with both or neither of listings and rights, and completes when it is repeated', async () => {
    const members = [await archive.createMember(), await archive.createMember()];
    const before = await readListings();
    await membership('confirmed', 'require-confirmation', '--grace', '0d');
    await expect(removeConfirmation(archive.context.db, stopAfter(1))).rejects.toThrow('Interrupted');
    const listed = new Set((await readListings()).map((row) => (row as { account_id: string }).account_id));
    for (const member of members) expect(await isMember(member)).toBe(listed.has(member.uid));
    await membership('open', 'open');
    expect((await readListings()).length).toBe(before.length);
    for (const member of members) expect(await isMember(member)).toBe(true);
  });

  test('lists no one who saves a profile while the mode changes', async () => {
    const ada = await archive.createMember();
    const { device, uid } = await archive.signUpVerified();
    const { academic, ...document } = ada.document;
    // The save waits for the lock of the account, and the switch waits for the save.
    const client = await archive.pool.connect();
    await client.query('begin');
    await client.query('select from accounts where id = $1 for no key update', [uid]);
    const { imgURL } = await ada.device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    expect(imgURL).not.toBeNull();
    const save = device.ask('PUT /api/users/{id}', {
      params: { id: uid },
      body: { ...document, academic, imgURL: await smallPicture(), version: 'any' },
    });
    const switching = membership('confirmed', 'require-confirmation', '--grace', '0d');
    await client.query('commit');
    client.release();
    await Promise.all([save, switching]);
    const { rows } = await archive.pool.query(
      `select from listings join accounts on id = account_id where membership_status <> 'confirmed' and confirm_by is null`,
    );
    expect(rows).toEqual([]);
  });
});

describe('a start', () => {
  const start = (membership: 'open' | 'confirmed') =>
    requireMembershipMode(archive.context.db, { membership }, '/etc/archive/institution.json');

  test('takes the mode of the institution file while there are no accounts', async () => {
    await start('confirmed');
    expect((await membership('confirmed', 'status')).stdout).toMatch(/^Mode +confirmed/mu);
    await start('open');
    expect((await membership('confirmed', 'status')).stdout).toMatch(/^Mode +open/mu);
  });

  test('is refused with the command to run if file and archive differ', async () => {
    await archive.createMember();
    await expect(start('confirmed')).rejects.toThrow(
      /institution\.json says "membership": "confirmed".*membership require-confirmation --dry-run/u,
    );
    await membership('confirmed', 'require-confirmation');
    await start('confirmed');
    await expect(start('open')).rejects.toThrow(/says "membership": "open".*membership open/u);
  });
});

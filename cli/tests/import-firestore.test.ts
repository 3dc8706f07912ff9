import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { toDocument } from '#contract/profile.ts';
import { findUsedPictures } from '#server/domain/people/pictures.ts';
import { computeFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { sendNoticesJob } from '#server/features/identity/jobs.ts';
import { type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { type ArrivedMail, findCode } from '#server/testing/inbox.ts';
import { findTraces, formsOf } from '#server/testing/traces.ts';
import { createIdFor } from '../firestore/id.ts';
import { type CommandResult, createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
let folder: string;
let picture: string;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  picture = await smallPicture();
});
afterAll(() => archive.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'archive-firestore-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const key = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
};
const hashConfig = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: ${key.signerKey},
  base64_salt_separator: ${key.saltSeparator},
  rounds: ${key.rounds},
  mem_cost: ${key.memCost},
}`;
const salt = '42xEC+ixf3L2lw==';
const password = 'user1password';

const writeInput = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const runImport = (...words: string[]): Promise<CommandResult> =>
  runCommand(createSettings(archive), 'import-firestore', ...words);

const random = createRandom(11);
let people = 0;

async function createFirebasePerson(lastName = `Older${++people}`) {
  people++;
  const uid = `${'Firebase0uid'.repeat(2)}${String(people).padStart(4, '0')}`;
  const invented = inventPerson(random, archive.context.institution, 2026, { lastName, otherNames: '' });
  const { name, ...document } = toDocument({ ...invented, imgURL: picture });
  const { first, middle, last } = name;
  const email = `Older.${people}@Mail.Example`;
  return {
    uid,
    id: createIdFor(uid),
    email: email.toLowerCase(),
    document: { ...document, name: { first, middle, last } },
    record: {
      localId: uid,
      email,
      emailVerified: true,
      passwordHash: (await computeFirebaseHash(key, password, salt)).toString('base64'),
      salt,
      displayName: `${last} ${first}`,
      createdAt: '1502000000000',
      lastSignedInAt: '1602000000000',
      providerUserInfo: [],
    },
  };
}

type FirebasePerson = Awaited<ReturnType<typeof createFirebasePerson>>;

const writeFiles = (...all: FirebasePerson[]): string[] => [
  writeInput('users.jsonl', all.map(({ uid, document }) => JSON.stringify({ id: uid, ...document })).join('\n')),
  '--auth',
  writeInput('auth.json', { users: all.map(({ record }) => record) }),
  '--hash-config',
  writeInput('hash.txt', hashConfig),
];

const signIn = (email: string, typed = password) =>
  archive.openDevice().ask('POST /api/identity/sign-in', { body: { email, password: typed } });

const readHash = async (id: string): Promise<string> => {
  const { rows } = await archive.pool.query<{ hash: string }>(
    'select password_hash as hash from accounts where id = $1',
    [id],
  );
  return rows[0]?.hash ?? '';
};

describe('import-firestore', () => {
  test('imports profile, picture, address and password', async () => {
    const ada = await createFirebasePerson('Lovelacebrought');
    expect(await runImport(...writeFiles(ada))).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringContaining('Created: 1, updated: 0, unchanged: 0, errors: 0, warnings: 0.'),
    });
    const device = archive.openDevice();
    const { user } = await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    expect(user).toMatchObject({
      uid: ada.id,
      email: ada.email,
      emailVerified: true,
      displayName: `${ada.document.name.last} ${ada.document.name.first}`,
      imgURL: expect.stringMatching(/^\/media\//u),
    });
    const { profile } = await device.call('GET /api/users/{id}/document', { params: { id: ada.id } });
    const { imgURL: _, ...stored } = ada.document;
    expect(profile).toMatchObject(stored);
    const { items } = await device.call('GET /api/search', { query: { q: 'Lovelacebrought' } });
    expect(items.map(({ id }) => id)).toEqual([ada.id]);
    // The creation time comes from Firebase, and no terms are accepted yet.
    const { rows } = await archive.pool.query(
      `select a.created_at, l.listed_at, a.terms_version from accounts a join listings l on l.account_id = a.id
       where a.id = $1 and l.audience = 'members'`,
      [ada.id],
    );
    const then = new Date(1_502_000_000_000);
    expect(rows).toEqual([{ created_at: then, listed_at: then, terms_version: null }]);
  });

  test('changes nothing when repeated, and keeps changes made in the archive', async () => {
    const ada = await createFirebasePerson();
    const files = writeFiles(ada);
    await runImport(...files);
    const device = archive.openDevice();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    const { profile } = await device.call('GET /api/users/{id}/document', { params: { id: ada.id } });
    await device.call('PUT /api/users/{id}', {
      params: { id: ada.id },
      body: { ...ada.document, imgURL: profile.imgURL, bio: 'Written here', version: 'any' },
    });
    const before = await readHash(ada.id);
    expect((await runImport(...files)).stdout).toContain(
      'Created: 0, updated: 0, unchanged: 1, errors: 0, warnings: 0.',
    );
    expect(await readHash(ada.id)).toBe(before);
    expect((await device.call('GET /api/users/{id}', { params: { id: ada.id }, query: {} })).bio).toBe('Written here');
    const { rows } = await archive.pool.query('select from profiles where account_id = $1', [ada.id]);
    expect(rows).toHaveLength(1);
  });

  test('reads everything and writes nothing with --dry-run', async () => {
    const ada = await createFirebasePerson();
    expect(await runImport(...writeFiles(ada), '--dry-run')).toEqual({
      code: 0,
      stdout: 'Would be created: 1, updated: 0, unchanged: 0, errors: 0, warnings: 0.',
      stderr: 'Dry run: nothing was changed.',
    });
    expect((await signIn(ada.email)).statusCode).toBe(401);
  });

  test('skips people who deleted their account, unless --include-deleted is given', async () => {
    const [ada, ben] = [await createFirebasePerson(), await createFirebasePerson()];
    const files = writeFiles(ada, ben);
    await runImport(...files);
    await runCommand(createSettings(archive), 'user', 'delete', ada.email, '--yes');
    const skipped = 'Skipped because they deleted their account here: 1. To import them anyway, add --include-deleted.';
    expect((await runImport(...files, '--dry-run')).stdout).toBe(
      `${skipped}\nWould be created: 0, updated: 0, unchanged: 1, errors: 0, warnings: 0.`,
    );
    expect((await runImport(...files)).stdout).toContain(`${skipped}\nCreated: 0, updated: 0, unchanged: 1, `);
    expect((await runImport(...files, '--include-deleted')).stdout).toContain('Created: 1, updated: 0, unchanged: 1, ');
    expect((await runImport(...files)).stdout).toContain('Created: 0, updated: 0, unchanged: 2, ');
  });

  test('reads documents in all supported file formats', { tags: ['release'] }, async () => {
    const nested = await createFirebasePerson();
    const plain = ({ document }: FirebasePerson) => document;
    const value = (content: unknown): object => {
      if (content === null) return { nullValue: null };
      if (typeof content === 'number') return { integerValue: String(content) };
      if (typeof content === 'string') return { stringValue: content };
      return {
        mapValue: {
          fields: Object.fromEntries(Object.entries(content as object).map(([at, one]) => [at, value(one)])),
        },
      };
    };
    const rest = ({ uid, document }: FirebasePerson) => ({
      name: `projects/p/databases/(default)/documents/users/${uid}`,
      fields: Object.fromEntries(Object.entries(document).map(([at, one]) => [at, value(one)])),
    });
    const [two, three, four, five, six] = await Promise.all(Array.from({ length: 5 }, () => createFirebasePerson()));
    if (!two || !three || !four || !five || !six) throw new Error('Five people were expected.');
    const formats: [unknown, FirebasePerson][] = [
      [{ documents: [rest(nested)] }, nested],
      [[{ uid: two.uid, ...plain(two) }], two],
      [{ [three.uid]: plain(three) }, three],
      [{ __collections__: { users: { [four.uid]: { ...plain(four), __collections__: {} } } } }, four],
      [[{ id: five.uid, data: plain(five) }], five],
      [`\n${JSON.stringify(rest(six))}\n\n${JSON.stringify(rest(nested))}\n`, six],
    ];
    for (const [content, one] of formats) {
      const auth = writeInput('auth.json', { users: [one.record, nested.record] });
      const answer = await runImport(writeInput('users', content), '--auth', auth, '--without-passwords', '--visible');
      expect(answer, JSON.stringify(content).slice(0, 60)).toMatchObject({ code: 0, stderr: '' });
      const { statusCode } = await archive
        .openDevice()
        .ask('GET /api/users/{id}', { params: { id: one.id }, query: {} });
      expect(statusCode, JSON.stringify(content).slice(0, 60)).toBe(200);
    }
  });

  test('converts alternative notations of titles, dates, colleges and programs', async () => {
    const ada = await createFirebasePerson();
    const { code, name } = archive.context.institution.colleges[0] ?? { code: '', name: '' };
    const document = {
      ...ada.document,
      title: 'Mrs',
      gender: 'Female',
      dob: '1990-02-03T00:00:00.000Z',
      academic: {
        ...ada.document.academic,
        college: name,
        program: 'bsc',
        year: { admitted: '2008', graduated: '2012' },
      },
    };
    expect(await runImport(...writeFiles({ ...ada, document: document as never }))).toMatchObject({ code: 0 });
    const { rows } = await archive.pool.query(
      'select title, gender, dob, college, program, year_admitted, year_graduated from profiles where account_id = $1',
      [ada.id],
    );
    expect(rows).toEqual([
      {
        title: 'mrs.',
        gender: 'female',
        dob: '1990-02-03',
        college: code,
        program: 'B.Sc',
        year_admitted: 2008,
        year_graduated: 2012,
      },
    ]);
  });

  test('reports each invalid record with its id, and imports the others', async () => {
    const [good, taken, nameless, web, broken] = await Promise.all(
      Array.from({ length: 5 }, () => createFirebasePerson()),
    );
    if (!good || !taken || !nameless || !web || !broken) throw new Error('Five people were expected.');
    const { email } = await archive.signUp();
    const documents = [
      { id: good.uid, ...good.document },
      { id: taken.uid, ...taken.document },
      { id: nameless.uid, ...nameless.document },
      { id: web.uid, ...web.document, imgURL: 'https://old.example/ada.jpg' },
      { id: broken.uid, ...broken.document, imgURL: 'data:image/png;base64,AAAA' },
      { ...good.document },
      { id: good.uid, ...good.document },
    ];
    const users = [good, { record: { ...taken.record, email } }, web, broken].map(({ record }) => record);
    const answer = await runImport(
      writeInput('users.json', documents),
      '--auth',
      writeInput('auth.json', { users }),
      '--without-passwords',
    );
    expect(answer.code).toBe(1);
    expect([answer.stderr, answer.stdout.split('\n').slice(0, -1)]).toEqual([
      '',
      [
        `${taken.uid}: error: The address belongs to another account here. Delete one of the two accounts first.`,
        `${nameless.uid}: error: There is no email address, so no one could sign in.`,
        'document 6: error: The document has no id.',
        `${good.uid}: error: This id appears earlier in the file.`,
        `${web.uid}: warning: The picture at https://old.example/ada.jpg was not downloaded.`,
        `${broken.uid}: warning: A picture cannot be read. It has to be a JPEG, PNG or WebP.`,
        'Created: 3, updated: 0, unchanged: 0, errors: 4, warnings: 2.',
      ],
    ]);
  });

  test('stores an incomplete profile with its picture, visible only to its owner', async () => {
    const ada = await createFirebasePerson('Unfinishedly');
    const document = { ...ada.document, gender: '', academic: { ...ada.document.academic, year: { admitted: 1970 } } };
    const { code, stdout } = await runImport(...writeFiles({ ...ada, document: document as never }));
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(
        `^${ada.uid}: warning: The owner has to complete gender, .*academic\\.year\\.admitted, academic\\.year\\.graduated`,
        'u',
      ),
    );
    const whom = { params: { id: ada.id }, query: {} };
    expect(await archive.openDevice().code('GET /api/users/{id}', whom)).toBe('not-found');
    expect((await runCommand(createSettings(archive), 'user', 'show', ada.email)).stdout).toMatch(
      /^Profile +imported, incomplete/mu,
    );

    const device = archive.openDevice();
    const { user } = await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    expect(user.displayName).toBeNull();
    const own = { params: { id: ada.id } };
    const { fields } = await device.call('GET /api/users/{id}/unfinished', own);
    expect(fields).toMatchObject({ lastName: 'Unfinishedly', gender: '', yearAdmitted: '1970', bio: document.bio });
    expect(await archive.openDevice().code('GET /api/users/{id}/unfinished', own)).toBe('auth/unauthenticated');
    const { device: other } = await archive.createMember();
    expect(await other.code('GET /api/users/{id}/unfinished', own)).toBe('permission-denied');
    const zip = unzipSync((await device.fetch('GET', `/api/users/${ada.id}/export`)).rawPayload);
    expect(JSON.parse(strFromU8(zip['unfinished-profile.json'] ?? new Uint8Array()))).toEqual(fields);
    expect(Object.keys(zip)).toContain('pictures/portrait.webp');

    // The nightly clean-up keeps the picture, although no profile shows it yet.
    expect([...(await findUsedPictures(archive.context.db, [fields['imgURL']?.split('/')[2] ?? '']))]).toHaveLength(1);
    const body = { ...ada.document, imgURL: fields['imgURL'] ?? null };
    const saved = await device.call('PUT /api/users/{id}', { ...own, body });
    expect(saved.imgURL).toBe(fields['imgURL']);
    expect(await device.call('GET /api/users/{id}/unfinished', own)).toEqual({ fields: {} });
    expect((await device.fetch('GET', saved.imgURL ?? '')).statusCode).toBe(200);
  });

  test('completes an incomplete profile when the corrected document is imported', async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles({ ...ada, document: { ...ada.document, title: 'Chief' } }), '--visible');
    expect((await runImport(...writeFiles(ada), '--visible')).stdout).toContain(
      'Created: 0, updated: 1, unchanged: 0, errors: 0, warnings: 0.',
    );
    const whom = { params: { id: ada.id }, query: {} };
    expect((await archive.openDevice().call('GET /api/users/{id}', whom)).name.last).toBe(ada.document.name.last);
  });

  test('imports disabled and unverified accounts and accounts without a profile in the same state', async () => {
    const [off, unverified, beginner] = [
      await createFirebasePerson(),
      await createFirebasePerson(),
      await createFirebasePerson(),
    ];
    Object.assign(off.record, { disabled: true });
    Object.assign(unverified.record, { emailVerified: false });
    const more = writeFiles(off, unverified, beginner).slice(1);
    const documents = writeInput(
      'two.jsonl',
      [off, unverified].map(({ uid, document }) => JSON.stringify({ uid, ...document })).join('\n'),
    );
    expect((await runImport(documents, ...more, '--visible')).stdout).toContain('Created: 3, ');
    expect((await signIn(off.email)).json()).toMatchObject({ code: 'auth/user-disabled' });
    const whom = { params: { id: off.id }, query: {} };
    expect(await archive.openDevice().code('GET /api/users/{id}', whom)).toBe('not-found');
    expect((await signIn(unverified.email)).json()).toMatchObject({ user: { emailVerified: false } });
    expect((await signIn(beginner.email)).json()).toMatchObject({ user: { emailVerified: true, displayName: null } });
    await runCommand(createSettings(archive), 'user', 'enable', off.email);
    expect((await archive.openDevice().call('GET /api/users/{id}', whom)).name.last).toBe(off.document.name.last);
    // The position in lists follows the original creation time.
    const { rows } = await archive.pool.query(
      `select l.listed_at, p.created_at from listings as l join profiles as p on p.account_id = l.account_id
       where l.account_id = $1`,
      [off.id],
    );
    const then = new Date(1_502_000_000_000);
    expect(rows).toEqual([
      { listed_at: then, created_at: then },
      { listed_at: then, created_at: then },
    ]);
  });

  test('warns that a second factor by phone cannot be imported', async () => {
    const ada = await createFirebasePerson();
    Object.assign(ada.record, { mfaInfo: [{ phoneInfo: '+234' }] });
    expect((await runImport(...writeFiles(ada))).stdout).toContain(
      `${ada.uid}: warning: The second factor by phone (SMS) cannot be imported.`,
    );
  });

  test('keeps people hidden after the first sign-in with --hidden', async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles(ada), '--hidden');
    const whom = { params: { id: ada.id }, query: {} };
    const device = archive.openDevice();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    expect(await archive.openDevice().code('GET /api/users/{id}', whom)).toBe('not-found');
    await device.call('PUT /api/users/{id}/privacy', {
      params: { id: ada.id },
      body: { isHidden: false, version: 'any' },
    });
    expect((await archive.openDevice().ask('GET /api/users/{id}', whom)).statusCode).toBe(200);
    expect(await runImport(...writeFiles(ada), '--hidden', '--visible')).toMatchObject({ code: 1 });
  });

  test('leaves no trace of an imported person after the account is deleted', async () => {
    const ada = await createFirebasePerson('Xylothraxian');
    const document = { ...ada.document, gender: 'unknown' };
    await runImport(...writeFiles({ ...ada, document }));
    const { rows } = await archive.pool.query<{ picture: string }>(
      'select picture from unfinished_profiles where account_id = $1',
      [ada.id],
    );
    const marks = new Map([
      ['id', formsOf(ada.id)],
      ['uid', formsOf(ada.uid)],
      ['name', formsOf('Xylothraxian')],
      ['picture', formsOf(rows[0]?.picture ?? 'none')],
    ]);
    expect((await findTraces(archive, marks)).join('\n')).toContain('unfinished_profiles: name');
    await runCommand(createSettings(archive), 'user', 'delete', ada.email, '--yes');
    await archive.runJobs();
    expect(await findTraces(archive, marks)).toEqual([]);
  });
});

describe('an imported profile', () => {
  const findFrom = async (device: Device, { id, document }: FirebasePerson) => {
    archive.context.listCache.clear();
    const { academic, name } = document;
    const { count } = await device.call('GET /api/users/count', { query: { department: academic.department } });
    const { items } = await device.call('GET /api/search', { query: { q: name.last } });
    const list = await device.call('GET /api/users', { query: { department: academic.department } });
    return {
      profile: (await device.ask('GET /api/users/{id}', { params: { id }, query: {} })).statusCode,
      search: items.some((card) => card.id === id),
      list: list.items.some((card) => card.id === id),
      count,
    };
  };

  test('is hidden from everyone until its owner signs in, and then listed by its original date', async () => {
    const ada = await createFirebasePerson('Hiddenuntilsignin');
    ada.document.academic.department = 'Dormancy Studies';
    await runImport(...writeFiles(ada));
    const [{ device: member }, guest] = [await archive.createMember(), archive.openDevice()];
    for (const device of [member, guest])
      expect(await findFrom(device, ada)).toEqual({ profile: 404, search: false, list: false, count: 0 });
    // A password reset by email does not count as a sign-in.
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: ada.email } });
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(ada.email, 'Choose a new password'));
    const chosen = 'another long word';
    await archive.openDevice().call('POST /api/identity/password-reset/confirm', { body: { code, password: chosen } });
    expect((await findFrom(guest, ada)).profile).toBe(404);

    const own = archive.openDevice();
    await own.call('POST /api/identity/sign-in', { body: { email: ada.email, password: chosen } });
    for (const device of [member, guest])
      expect(await findFrom(device, ada)).toEqual({ profile: 200, search: true, list: true, count: 1 });
    const { notifications } = await own.call('GET /api/notifications', { query: {} });
    expect(notifications.map(({ kind }) => kind)).toContain('welcome');
    const { rows } = await archive.pool.query('select distinct listed_at from listings where account_id = $1', [
      ada.id,
    ]);
    expect(rows).toEqual([{ listed_at: new Date(1_502_000_000_000) }]);
  });

  test('is visible immediately with --visible', async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles(ada), '--visible');
    expect(await findFrom(archive.openDevice(), ada)).toMatchObject({ profile: 200, search: true });
    const { imgURL } = await archive.openDevice().call('GET /api/users/{id}', { params: { id: ada.id }, query: {} });
    // A public URL, which shared caches may store.
    expect(imgURL).toMatch(/^\/media\/public-/u);
  });

  test('stays hidden after an export and an import', async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles(ada));
    const [out, other] = [join(folder, 'out'), await openArchive(inject('databases'))];
    try {
      await runCommand(createSettings(archive), 'export', out);
      await runCommand(createSettings(other), 'import', out);
      const { rows } = await other.pool.query(
        `select hidden_until_sign_in, (select count(*)::int from listings where account_id = accounts.id) as listings
         from accounts where email = $1`,
        [ada.email],
      );
      expect(rows).toEqual([{ hidden_until_sign_in: 'imported', listings: 0 }]);
    } finally {
      await other.close();
    }
  });

  test('is announced with --notify by one email to each owner who has not signed in', async () => {
    const [ada, ben, eve] = [await createFirebasePerson(), await createFirebasePerson(), await createFirebasePerson()];
    await runImport(...writeFiles(ada, ben, eve));
    await signIn(eve.email);
    const subject = 'Your profile has moved to the new alumni website';
    await runImport(...writeFiles(ada, ben, eve), '--notify');
    await archive.runJobs();
    const mail = await archive.inbox.next(ada.email, subject);
    expect(mail.text).toContain('No one else sees your profile until you sign in.');
    expect(mail.text.replaceAll(/\s+/gu, ' ')).toContain(
      'When you sign in, it becomes visible again according to your privacy settings.',
    );
    expect(mail.text).toMatch(/delete your account under Delete Account in your settings, or reply to this email /u);
    expect(mail.text).toContain('http://localhost:3000/login');
    expect(mail.html).toMatch(/Class of<br><span[^>]*>\d{4}<\/span>/u);
    await archive.inbox.next(ben.email, subject);
    await signIn(ada.email);
    await runImport(...writeFiles(ada, ben, eve), '--notify');
    await archive.runJobs();
    const isSecond = (one: ArrivedMail) =>
      one.subject === subject && [ada, ben, eve].some(({ email }) => email === one.to);
    expect(archive.inbox.all().filter(isSecond)).toEqual([]);
  });

  test('is announced in batches of 100 emails', { tags: ['release'] }, async () => {
    await archive.pool.query(
      `with added as (insert into accounts (email, password_hash)
         select 'many.' || number || '@mail.example', '!' from generate_series(1, 101) as number returning id)
       insert into notice_mails (account_id, kind) select id, 'imported' from added`,
    );
    const isOne = ({ to, subject }: ArrivedMail) =>
      to.startsWith('many.') && subject === 'Your profile has moved to the new alumni website';
    const arrived = () => archive.inbox.all().filter(isOne).length;
    await sendNoticesJob.queue(archive.context.db, {});
    await archive.runJobs();
    expect(arrived()).toBe(100);
    await archive.advanceTime('10 minutes');
    await archive.runJobs();
    expect(arrived()).toBe(101);
  });
});

describe('an imported password', () => {
  test('is accepted and rehashed with Argon2id at the first sign-in', { tags: ['asvs-11.2.2'] }, async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles(ada));
    expect(await readHash(ada.id)).toMatch(/^\$firebase-scrypt\$/u);
    expect((await signIn(ada.email, 'another word')).json()).toMatchObject({ code: 'auth/invalid-credential' });
    expect(await readHash(ada.id)).toMatch(/^\$firebase-scrypt\$/u);
    expect((await signIn(ada.email)).statusCode).toBe(200);
    expect(await readHash(ada.id)).toMatch(/^\$argon2id\$/u);
    expect((await signIn(ada.email)).statusCode).toBe(200);
    expect((await signIn(ada.email, 'another word')).statusCode).toBe(401);
  });

  test('is accepted in concurrent sign-ins', async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles(ada));
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(ada.email)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(await readHash(ada.id)).toMatch(/^\$argon2id\$/u);
  });

  test('is accepted for reauthentication and can be changed', async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles(ada));
    const old = await readHash(ada.id);
    const device = archive.openDevice();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    // Simulates a session that is older than the imported hash.
    await archive.pool.query('update accounts set password_hash = $1 where id = $2', [old, ada.id]);
    expect(await device.code('POST /api/identity/reauthenticate', { body: { password: 'another word' } })).toBe(
      'auth/invalid-credential',
    );
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    await device.call('POST /api/identity/password', { body: { password: 'chosen in this archive' } });
    expect((await signIn(ada.email)).statusCode).toBe(401);
    expect((await signIn(ada.email, 'chosen in this archive')).statusCode).toBe(200);
  });

  test('requires either --hash-config or --without-passwords', async () => {
    const ada = await createFirebasePerson();
    const [documents = '', ...auth] = writeFiles(ada).slice(0, 3);
    expect(await runImport(documents, ...auth)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('1 people have a password. Import the passwords with --hash-config FILE'),
    });
    await runImport(documents, ...auth, '--without-passwords');
    expect(await readHash(ada.id)).toBe('!');
    await archive.openDevice().call('POST /api/identity/password-reset', { body: { email: ada.email } });
    await archive.runJobs();
    const code = findCode(await archive.inbox.next(ada.email, 'Choose a new password'));
    const body = { code, password: 'chosen in this archive' };
    await archive.openDevice().call('POST /api/identity/password-reset/confirm', { body });
    expect((await signIn(ada.email, 'chosen in this archive')).statusCode).toBe(200);
  });

  test('needs the project key, which is stored in a file only', async () => {
    const ada = await createFirebasePerson();
    await runImport(...writeFiles(ada));
    const marks = new Map([['key', [key.signerKey.toLowerCase(), key.signerKey]]]);
    const places = await findTraces(archive, marks);
    expect(
      places.every((place) => place.startsWith('file secrets/firebase-')),
      places.join(),
    ).toBe(true);
  });
});

test('import-firestore reports unreadable and invalid files', async () => {
  const ada = await createFirebasePerson();
  const [documents = ''] = writeFiles(ada);
  for (const [args, message] of [
    [['/no/such/file.json'], '/no/such/file.json cannot be read.'],
    [[writeInput('a', 'hello')], 'a is not valid JSON.'],
    [[writeInput('b', '"hello"')], 'b contains neither a list of documents nor an object with ids as keys.'],
    [[documents, '--auth', writeInput('c', '{}')], 'c has no list "users".'],
    [[documents, '--auth', '/no/such'], '/no/such cannot be read.'],
    [[documents, '--hash-config', writeInput('d', 'rounds: 8')], 'd must contain base64_signer_key'],
    [[documents, '--hash-config', writeInput('e', hashConfig.replace('SCRYPT', 'BCRYPT'))], 'for the algorithm SCRYPT'],
  ] as [string[], string][]) {
    const answer = await runImport(...args);
    expect([answer.code, answer.stderr]).toEqual([1, expect.stringContaining(message)]);
  }
});

test('createIdFor maps the same uid to the same UUID on every machine', () => {
  expect(createIdFor('Firebase0uidFirebase0uid0001')).toMatch(
    /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u,
  );
  expect(createIdFor('a')).toBe(createIdFor('a'));
  expect(createIdFor('a')).not.toBe(createIdFor('A'));
  expect(createIdFor('2F1C9D0E-6C1B-4D3A-9A57-7F0F5A3B8D11')).toBe('2f1c9d0e-6c1b-4d3a-9a57-7f0f5a3b8d11');
});

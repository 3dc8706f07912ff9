import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { toDocument } from '#contract/profile.ts';
import { findUsedPictures } from '#server/domain/pictures.ts';
import { computeFirebaseHash } from '#server/platform/crypto/firebase-scrypt.ts';
import { inventPerson } from '#server/seed/invent.ts';
import { createRandom } from '#server/seed/random.ts';
import { sendAnnouncementsJob } from '#server/features/identity/jobs.ts';
import { type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { type ArrivedMail, codeIn } from '#server/testing/inbox.ts';
import { findTraces, formsOf } from '#server/testing/traces.ts';
import { idFor } from '../firestore/id.ts';
import { type Answer, settingsOf, type } from '../testing/run-command.ts';

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
/** As the console shows it. */
const hashConfig = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: ${key.signerKey},
  base64_salt_separator: ${key.saltSeparator},
  rounds: ${key.rounds},
  mem_cost: ${key.memCost},
}`;
const salt = '42xEC+ixf3L2lw==';
const password = 'user1password';

const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const bring = (...words: string[]): Promise<Answer> => type(settingsOf(archive), 'import-firestore', ...words);

const random = createRandom(11);
let people = 0;

/** Somebody as the old archive has them: a uid of Firebase, the stored shape, and a sign-in. */
async function somebody(lastName = `Older${++people}`) {
  people++;
  const uid = `${'Firebase0uid'.repeat(2)}${String(people).padStart(4, '0')}`;
  const invented = inventPerson(random, archive.context.institution, 2026, { lastName, otherNames: '' });
  const { name, ...document } = toDocument({ ...invented, imgURL: picture });
  const { first, middle, last } = name;
  const email = `Older.${people}@Mail.Example`;
  return {
    uid,
    id: idFor(uid),
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

type Somebody = Awaited<ReturnType<typeof somebody>>;

const filesOf = (...all: Somebody[]): string[] => [
  file('users.jsonl', all.map(({ uid, document }) => JSON.stringify({ id: uid, ...document })).join('\n')),
  '--auth',
  file('auth.json', { users: all.map(({ record }) => record) }),
  '--hash-config',
  file('hash.txt', hashConfig),
];

const signIn = (email: string, typed = password) =>
  archive.device().ask('POST /api/identity/sign-in', { body: { email, password: typed } });

const hashOf = async (id: string): Promise<string> => {
  const { rows } = await archive.pool.query<{ hash: string }>(
    'select password_hash as hash from accounts where id = $1',
    [id],
  );
  return rows[0]?.hash ?? '';
};

describe('bringing people over from Firebase', () => {
  test('profile, picture, address and password are here, and the person is listed and found', async () => {
    const ada = await somebody('Lovelacebrought');
    expect(await bring(...filesOf(ada))).toMatchObject({
      code: 0,
      noted: '',
      said: expect.stringContaining('Created: 1, updated: 0, unchanged: 0, errors: 0, warnings: 0.'),
    });
    const device = archive.device();
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
    // They joined long ago, and have accepted nothing here yet.
    const { rows } = await archive.pool.query(
      `select a.created_at, l.listed_at, a.terms_version from accounts a join listings l on l.account_id = a.id
       where a.id = $1 and l.audience = 'members'`,
      [ada.id],
    );
    const then = new Date(1_502_000_000_000);
    expect(rows).toEqual([{ created_at: then, listed_at: then, terms_version: null }]);
  });

  test('run twice, it changes nothing the second time, not even what somebody has changed here', async () => {
    const ada = await somebody();
    const files = filesOf(ada);
    await bring(...files);
    const device = archive.device();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    const { profile } = await device.call('GET /api/users/{id}/document', { params: { id: ada.id } });
    await device.call('PUT /api/users/{id}', {
      params: { id: ada.id },
      body: { ...ada.document, imgURL: profile.imgURL, bio: 'Written here', version: 'any' },
    });
    const before = await hashOf(ada.id);
    expect((await bring(...files)).said).toContain('Created: 0, updated: 0, unchanged: 1, errors: 0, warnings: 0.');
    expect(await hashOf(ada.id)).toBe(before);
    expect((await device.call('GET /api/users/{id}', { params: { id: ada.id }, query: {} })).bio).toBe('Written here');
    const { rows } = await archive.pool.query('select from profiles where account_id = $1', [ada.id]);
    expect(rows).toHaveLength(1);
  });

  test('--dry-run reads everything and writes nothing', async () => {
    const ada = await somebody();
    expect(await bring(...filesOf(ada), '--dry-run')).toEqual({
      code: 0,
      said: 'Would be created: 1, updated: 0, unchanged: 0, errors: 0, warnings: 0.',
      noted: 'Nothing was changed.',
    });
    expect((await signIn(ada.email)).statusCode).toBe(401);
  });

  test('leaves out people who deleted their account here, and brings them back with --include-deleted', async () => {
    const [ada, ben] = [await somebody(), await somebody()];
    const files = filesOf(ada, ben);
    await bring(...files);
    await type(settingsOf(archive), 'user', 'delete', ada.email, '--yes');
    const left = 'Left out because they deleted their account here: 1. To import them anyway, add --include-deleted';
    expect((await bring(...files, '--dry-run')).said).toBe(
      `${left}\nWould be created: 0, updated: 0, unchanged: 1, errors: 0, warnings: 0.`,
    );
    expect((await bring(...files)).said).toContain(`${left}\nCreated: 0, updated: 0, unchanged: 1, `);
    expect((await bring(...files, '--include-deleted')).said).toContain('Created: 1, updated: 0, unchanged: 1, ');
    expect((await bring(...files)).said).toContain('Created: 0, updated: 0, unchanged: 2, ');
  });

  test('documents come in every shape that they are handed on in', async () => {
    const nested = await somebody();
    const plain = ({ document }: Somebody) => document;
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
    const rest = ({ uid, document }: Somebody) => ({
      name: `projects/p/databases/(default)/documents/users/${uid}`,
      fields: Object.fromEntries(Object.entries(document).map(([at, one]) => [at, value(one)])),
    });
    const [two, three, four, five, six] = await Promise.all(Array.from({ length: 5 }, () => somebody()));
    if (!two || !three || !four || !five || !six) throw new Error('Five people were asked for.');
    const shapes: [unknown, Somebody][] = [
      [{ documents: [rest(nested)] }, nested],
      [[{ uid: two.uid, ...plain(two) }], two],
      [{ [three.uid]: plain(three) }, three],
      [{ __collections__: { users: { [four.uid]: { ...plain(four), __collections__: {} } } } }, four],
      [[{ id: five.uid, data: plain(five) }], five],
      [`\n${JSON.stringify(rest(six))}\n\n${JSON.stringify(rest(nested))}\n`, six],
    ];
    for (const [content, one] of shapes) {
      const auth = file('auth.json', { users: [one.record, nested.record] });
      const answer = await bring(file('users', content), '--auth', auth, '--without-passwords', '--visible');
      expect(answer, JSON.stringify(content).slice(0, 60)).toMatchObject({ code: 0, noted: '' });
      const { statusCode } = await archive.device().ask('GET /api/users/{id}', { params: { id: one.id }, query: {} });
      expect(statusCode, JSON.stringify(content).slice(0, 60)).toBe(200);
    }
  });

  test('values that were only written another way are taken for what they mean', async () => {
    const ada = await somebody();
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
    expect(await bring(...filesOf({ ...ada, document: document as never }))).toMatchObject({ code: 0 });
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

  test('what is wrong with one is named with its id, and everybody else comes over', async () => {
    const [good, taken, nameless, web, broken] = await Promise.all(Array.from({ length: 5 }, () => somebody()));
    if (!good || !taken || !nameless || !web || !broken) throw new Error('Five people were asked for.');
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
    const answer = await bring(
      file('users.json', documents),
      '--auth',
      file('auth.json', { users }),
      '--without-passwords',
    );
    expect(answer.code).toBe(1);
    expect([answer.noted, answer.said.split('\n').slice(0, -1)]).toEqual([
      '',
      [
        `${taken.uid}: error: The address belongs to another account here. Delete one of the two accounts first.`,
        `${nameless.uid}: error: There is no address, and nobody could sign in.`,
        'document 6: error: It has no id.',
        `${good.uid}: error: This id appears earlier in the file.`,
        `${web.uid}: warning: The picture is at https://old.example/ada.jpg and was not fetched.`,
        `${broken.uid}: warning: A picture cannot be read. It has to be a JPEG, PNG or WebP.`,
        'Created: 3, updated: 0, unchanged: 0, errors: 4, warnings: 2.',
      ],
    ]);
  });

  test('a profile that breaks a rule of today is seen by nobody, and waits for its owner with picture and all', async () => {
    const ada = await somebody('Unfinishedly');
    const document = { ...ada.document, gender: '', academic: { ...ada.document.academic, year: { admitted: 1970 } } };
    const { code, said } = await bring(...filesOf({ ...ada, document: document as never }));
    expect(code).toBe(1);
    expect(said).toMatch(
      new RegExp(
        `^${ada.uid}: warning: The owner has to complete gender, .*academic\\.year\\.admitted, academic\\.year\\.graduated`,
        'u',
      ),
    );
    const whom = { params: { id: ada.id }, query: {} };
    expect(await archive.device().code('GET /api/users/{id}', whom)).toBe('not-found');
    expect((await type(settingsOf(archive), 'user', 'show', ada.email)).said).toMatch(/^Profile +imported, to be/mu);

    const device = archive.device();
    const { user } = await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    expect(user.displayName).toBeNull();
    const own = { params: { id: ada.id } };
    const { fields } = await device.call('GET /api/users/{id}/unfinished', own);
    expect(fields).toMatchObject({ lastName: 'Unfinishedly', gender: '', yearAdmitted: '1970', bio: document.bio });
    expect(await archive.device().code('GET /api/users/{id}/unfinished', own)).toBe('auth/unauthenticated');
    const { device: other } = await archive.join();
    expect(await other.code('GET /api/users/{id}/unfinished', own)).toBe('permission-denied');
    const zip = unzipSync((await device.fetch('GET', `/api/users/${ada.id}/export`)).rawPayload);
    expect(JSON.parse(strFromU8(zip['unfinished-profile.json'] ?? new Uint8Array()))).toEqual(fields);
    expect(Object.keys(zip)).toContain('pictures/portrait.webp');

    // The night's clean-up leaves the picture where it is, though no profile shows it yet.
    expect([...(await findUsedPictures(archive.context.db, [fields['imgURL']?.split('/')[2] ?? '']))]).toHaveLength(1);
    const body = { ...ada.document, imgURL: fields['imgURL'] ?? null };
    const saved = await device.call('PUT /api/users/{id}', { ...own, body });
    expect(saved.imgURL).toBe(fields['imgURL']);
    expect(await device.call('GET /api/users/{id}/unfinished', own)).toEqual({ fields: {} });
    expect((await device.fetch('GET', saved.imgURL ?? '')).statusCode).toBe(200);
  });

  test('a document that was put right in the meantime completes whoever has not done so themselves', async () => {
    const ada = await somebody();
    await bring(...filesOf({ ...ada, document: { ...ada.document, title: 'Chief' } }), '--visible');
    expect((await bring(...filesOf(ada), '--visible')).said).toContain(
      'Created: 0, updated: 1, unchanged: 0, errors: 0, warnings: 0.',
    );
    const whom = { params: { id: ada.id }, query: {} };
    expect((await archive.device().call('GET /api/users/{id}', whom)).name.last).toBe(ada.document.name.last);
  });

  test('whoever is disabled or unverified there, or has never finished signing up, is so here', async () => {
    const [off, unverified, beginner] = [await somebody(), await somebody(), await somebody()];
    Object.assign(off.record, { disabled: true });
    Object.assign(unverified.record, { emailVerified: false });
    const more = filesOf(off, unverified, beginner).slice(1);
    const documents = file(
      'two.jsonl',
      [off, unverified].map(({ uid, document }) => JSON.stringify({ uid, ...document })).join('\n'),
    );
    expect((await bring(documents, ...more, '--visible')).said).toContain('Created: 3, ');
    expect((await signIn(off.email)).json()).toMatchObject({ code: 'auth/user-disabled' });
    const whom = { params: { id: off.id }, query: {} };
    expect(await archive.device().code('GET /api/users/{id}', whom)).toBe('not-found');
    expect((await signIn(unverified.email)).json()).toMatchObject({ user: { emailVerified: false } });
    expect((await signIn(beginner.email)).json()).toMatchObject({ user: { emailVerified: true, displayName: null } });
    await type(settingsOf(archive), 'user', 'enable', off.email);
    expect((await archive.device().call('GET /api/users/{id}', whom)).name.last).toBe(off.document.name.last);
    // Nor has it joined today: it stands where it would have stood all the time.
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

  test('a second factor by phone is told of: it cannot come along', async () => {
    const ada = await somebody();
    Object.assign(ada.record, { mfaInfo: [{ phoneInfo: '+234' }] });
    expect((await bring(...filesOf(ada))).said).toContain(
      `${ada.uid}: warning: The second factor by phone cannot be imported.`,
    );
  });

  test('--hidden keeps people hidden after they sign in, until they show themselves', async () => {
    const ada = await somebody();
    await bring(...filesOf(ada), '--hidden');
    const whom = { params: { id: ada.id }, query: {} };
    const device = archive.device();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    expect(await archive.device().code('GET /api/users/{id}', whom)).toBe('not-found');
    await device.call('PUT /api/users/{id}/privacy', {
      params: { id: ada.id },
      body: { isHidden: false, version: 'any' },
    });
    expect((await archive.device().ask('GET /api/users/{id}', whom)).statusCode).toBe(200);
    expect(await bring(...filesOf(ada), '--hidden', '--visible')).toMatchObject({ code: 1 });
  });

  test('of somebody who was brought over and deletes the account nothing is left', async () => {
    const ada = await somebody('Xylothraxian');
    const document = { ...ada.document, gender: 'unknown' };
    await bring(...filesOf({ ...ada, document }));
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
    await type(settingsOf(archive), 'user', 'delete', ada.email, '--yes');
    await archive.work();
    expect(await findTraces(archive, marks)).toEqual([]);
  });
});

describe('a profile that was brought over', () => {
  const foundBy = async (device: Device, { id, document }: Somebody) => {
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

  test('is hidden from everyone until its owner signs in, and then stands where it would have stood', async () => {
    const ada = await somebody('Hiddenuntilsignin');
    ada.document.academic.department = 'Dormancy Studies';
    await bring(...filesOf(ada));
    const [{ device: member }, guest] = [await archive.join(), archive.device()];
    for (const device of [member, guest])
      expect(await foundBy(device, ada)).toEqual({ profile: 404, search: false, list: false, count: 0 });
    // Whoever chooses a new password by mail has not signed in yet.
    await archive.device().call('POST /api/identity/password-reset', { body: { email: ada.email } });
    await archive.work();
    const code = codeIn(await archive.inbox.next(ada.email, 'Choose a new password'));
    const chosen = 'another long word';
    await archive.device().call('POST /api/identity/password-reset/confirm', { body: { code, password: chosen } });
    expect((await foundBy(guest, ada)).profile).toBe(404);

    const own = archive.device();
    await own.call('POST /api/identity/sign-in', { body: { email: ada.email, password: chosen } });
    for (const device of [member, guest])
      expect(await foundBy(device, ada)).toEqual({ profile: 200, search: true, list: true, count: 1 });
    const { notifications } = await own.call('GET /api/notifications', { query: {} });
    expect(notifications.map(({ kind }) => kind)).toContain('welcome');
    const { rows } = await archive.pool.query('select distinct listed_at from listings where account_id = $1', [
      ada.id,
    ]);
    expect(rows).toEqual([{ listed_at: new Date(1_502_000_000_000) }]);
  });

  test('--visible shows it at once', async () => {
    const ada = await somebody();
    await bring(...filesOf(ada), '--visible');
    expect(await foundBy(archive.device(), ada)).toMatchObject({ profile: 200, search: true });
    const { imgURL } = await archive.device().call('GET /api/users/{id}', { params: { id: ada.id }, query: {} });
    // Shared caches may keep it, as after a save.
    expect(imgURL).toMatch(/^\/media\/public-/u);
  });

  test('an export takes along that it is hidden, and an import keeps it hidden', async () => {
    const ada = await somebody();
    await bring(...filesOf(ada));
    const [out, other] = [join(folder, 'out'), await openArchive(inject('databases'))];
    try {
      await type(settingsOf(archive), 'export', out);
      await type(settingsOf(other), 'import', out);
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

  test('--notify writes to each owner once, however often it runs, and not to those who have signed in', async () => {
    const [ada, ben, eve] = [await somebody(), await somebody(), await somebody()];
    await bring(...filesOf(ada, ben, eve));
    await signIn(eve.email);
    const subject = 'Your profile was moved';
    await bring(...filesOf(ada, ben, eve), '--notify');
    await archive.work();
    const mail = await archive.inbox.next(ada.email, subject);
    expect(mail.text).toContain('Nobody else sees your profile until you sign in.');
    expect(mail.text.replaceAll(/\s+/gu, ' ')).toContain('Signing in shows it to others as your privacy choices say.');
    expect(mail.text).toMatch(/delete your account under Delete Account in your settings, or answer this mail /u);
    expect(mail.text).toContain('http://localhost:3000/login');
    await archive.inbox.next(ben.email, subject);
    await signIn(ada.email);
    await bring(...filesOf(ada, ben, eve), '--notify');
    await archive.work();
    expect(archive.inbox.all().filter((one) => one.subject === subject)).toEqual([]);
  });

  test('mails to many people are queued some at a time', async () => {
    await archive.pool.query(
      `with added as (insert into accounts (email, password_hash)
         select 'many.' || number || '@mail.example', '!' from generate_series(1, 101) as number returning id)
       insert into notice_mails (account_id, kind) select id, 'imported' from added`,
    );
    const isOne = ({ to, subject }: ArrivedMail) => to.startsWith('many.') && subject === 'Your profile was moved';
    const arrived = () => archive.inbox.all().filter(isOne).length;
    await sendAnnouncementsJob.queue(archive.context.db, {});
    await archive.work();
    expect(arrived()).toBe(100);
    await archive.letPass('10 minutes');
    await archive.work();
    expect(arrived()).toBe(101);
  });
});

describe('a password that was brought over', () => {
  test('opens the account, and is kept in our own way from then on', { tags: ['asvs-11.2.2'] }, async () => {
    const ada = await somebody();
    await bring(...filesOf(ada));
    expect(await hashOf(ada.id)).toMatch(/^\$firebase-scrypt\$/u);
    expect((await signIn(ada.email, 'another word')).json()).toMatchObject({ code: 'auth/invalid-credential' });
    expect(await hashOf(ada.id)).toMatch(/^\$firebase-scrypt\$/u);
    expect((await signIn(ada.email)).statusCode).toBe(200);
    expect(await hashOf(ada.id)).toMatch(/^\$argon2id\$/u);
    expect((await signIn(ada.email)).statusCode).toBe(200);
    expect((await signIn(ada.email, 'another word')).statusCode).toBe(401);
  });

  test('opens every one of the browsers that sign in at the same moment', async () => {
    const ada = await somebody();
    await bring(...filesOf(ada));
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(ada.email)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    expect(await hashOf(ada.id)).toMatch(/^\$argon2id\$/u);
  });

  test('counts where it is typed again, and can be changed', async () => {
    const ada = await somebody();
    await bring(...filesOf(ada));
    const old = await hashOf(ada.id);
    const device = archive.device();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password } });
    // As for somebody whose session is older than what was brought over.
    await archive.pool.query('update accounts set password_hash = $1 where id = $2', [old, ada.id]);
    expect(await device.code('POST /api/identity/reauthenticate', { body: { password: 'another word' } })).toBe(
      'auth/invalid-credential',
    );
    await device.call('POST /api/identity/reauthenticate', { body: { password } });
    await device.call('POST /api/identity/password', { body: { password: 'chosen in this archive' } });
    expect((await signIn(ada.email)).statusCode).toBe(401);
    expect((await signIn(ada.email, 'chosen in this archive')).statusCode).toBe(200);
  });

  test('is never left behind without a word: either its parameters come, or the operator says so', async () => {
    const ada = await somebody();
    const [documents = '', ...auth] = filesOf(ada).slice(0, 3);
    expect(await bring(documents, ...auth)).toMatchObject({
      code: 1,
      noted: expect.stringContaining('1 people have a password. Bring it over with --hash-config FILE'),
    });
    await bring(documents, ...auth, '--without-passwords');
    expect(await hashOf(ada.id)).toBe('!');
    await archive.device().call('POST /api/identity/password-reset', { body: { email: ada.email } });
    await archive.work();
    const code = codeIn(await archive.inbox.next(ada.email, 'Choose a new password'));
    const body = { code, password: 'chosen in this archive' };
    await archive.device().call('POST /api/identity/password-reset/confirm', { body });
    expect((await signIn(ada.email, 'chosen in this archive')).statusCode).toBe(200);
  });

  test('needs the key of its project, which is in no table', async () => {
    const ada = await somebody();
    await bring(...filesOf(ada));
    const marks = new Map([['key', [key.signerKey.toLowerCase(), key.signerKey]]]);
    const places = await findTraces(archive, marks);
    expect(
      places.every((place) => place.startsWith('file secrets/firebase-')),
      places.join(),
    ).toBe(true);
  });
});

test('files that are not what they should be are answered in a sentence each', async () => {
  const ada = await somebody();
  const [documents = ''] = filesOf(ada);
  for (const [words, sentence] of [
    [['/no/such/file.json'], '/no/such/file.json cannot be read.'],
    [[file('a', 'hello')], 'a is not JSON.'],
    [[file('b', '"hello"')], 'b holds neither a list of documents nor documents by their ids.'],
    [[documents, '--auth', file('c', '{}')], 'c has no list "users".'],
    [[documents, '--auth', '/no/such'], '/no/such cannot be read.'],
    [[documents, '--hash-config', file('d', 'rounds: 8')], 'd has to hold base64_signer_key'],
    [[documents, '--hash-config', file('e', hashConfig.replace('SCRYPT', 'BCRYPT'))], 'of the algorithm SCRYPT'],
  ] as [string[], string][]) {
    const answer = await bring(...words);
    expect([answer.code, answer.noted]).toEqual([1, expect.stringContaining(sentence)]);
  }
});

test('the same uid is the same id everywhere, in the form of a UUID', () => {
  expect(idFor('Firebase0uidFirebase0uid0001')).toMatch(
    /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/u,
  );
  expect(idFor('a')).toBe(idFor('a'));
  expect(idFor('a')).not.toBe(idFor('A'));
  expect(idFor('2F1C9D0E-6C1B-4D3A-9A57-7F0F5A3B8D11')).toBe('2f1c9d0e-6c1b-4d3a-9a57-7f0f5a3b8d11');
});

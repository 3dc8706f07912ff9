import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { decodeDataUrl } from '#server/platform/media/media.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/product.ts';
import { type Place, newPlace, rowsOf } from '../backup-format/testing.ts';
import { csvRow } from '../export-format/csv.ts';
import { refuse, settingsOf, type } from '../testing/run-command.ts';

/* Everything goes out in open formats, and comes back into an archive that nobody has used yet. */

let archive: TestArchive;
let folder: string;
let ada: Member;
let bola: Member;
let chike: Member;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  ada = await archive.join({ firstName: 'Ada', contactNumber: '+234 803 555 0101' }, { bio: '=HYPERLINK("x")' });
  bola = await archive.join({ firstName: 'Bọ́lá' }, { homeAddress: '1, Marina "East"\nLagos' });
  await archive.signUp('unverified@mail.example');
  chike = await archive.join({ firstName: 'Chike' });
  for (const email of ['unverified@mail.example', chike.email])
    await type(settingsOf(archive), 'user', 'disable', email);
  await ada.device.call('POST /api/gallery/photos', {
    body: { title: 'Us', album: 'Convocation', audience: 'everyone', image: await smallPicture() },
  });
  await ada.device.call('PUT /api/blocks/{id}', { params: { id: bola.uid } });
  await bola.device.call('PUT /api/users/{id}/privacy', {
    params: { id: bola.uid },
    body: { isHidden: true, visibility: { bio: 'me' }, version: 'any' },
  });
  await bola.device.call('PUT /api/notifications/choices', { body: { joined: false, 'photos-added': true } });
  // As an import from elsewhere has left it.
  await archive.pool.query(
    `insert into unfinished_profiles (account_id, fields, picture)
     select a.id, '{"firstName": "Efe", "year_graduated": "MMXX"}', $1 from accounts as a where a.email = 'unverified@mail.example'`,
    [await archive.context.media.storePortrait(decodeDataUrl(await smallPicture()))],
  );
  folder = join(newFolder('archive-export-'), 'out');
  const made = await type(settingsOf(archive), 'export', folder);
  if (made.code !== 0) throw new Error(made.noted);
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

const linesOf = (name: string, from = folder): Record<string, unknown>[] =>
  readFileSync(join(from, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

/** What an import has to bring back, without what is chance or new there: pictures, and when a profile was written. */
const comparable = async ({ pool }: TestArchive) => {
  const { rows: accounts } = await pool.query(
    `select id, email, email_verified, password_hash, display_name, terms_version, takes_messages, muted_kinds,
       date_trunc('milliseconds', created_at) as created_at,
       date_trunc('milliseconds', disabled_at) as disabled_at from accounts order by email`,
  );
  const { rows: profiles } = await pool.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(p) as row from profiles as p order by account_id',
  );
  const { rows: listings } = await pool.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(l) as row from listings as l order by account_id, audience',
  );
  const chance = new Set(['picture', 'version', 'created_at', 'updated_at', 'listed_at']);
  const without = ({ row }: (typeof listings)[0]) => ({
    ...Object.fromEntries(Object.entries(row).filter(([name]) => !chance.has(name))),
    hasPicture: row['picture'] !== null,
  });
  const { listing_counts: counts } = await rowsOf(pool);
  const { rows: blocks } = await pool.query('select account_id, blocked_id from blocks');
  const { rows: photos } = await pool.query(
    `select account_id, album_key, album, title, audience, date_trunc('milliseconds', created_at) as created_at from photos`,
  );
  const { rows: unfinished } = await pool.query(
    'select account_id, fields, picture is null as "hasNone" from unfinished_profiles',
  );
  return {
    unfinished,
    accounts,
    profiles: profiles.map(without),
    listings: listings.map(without),
    counts,
    blocks,
    photos,
  };
};

/** The export with one of its files written anew. @returns its folder */
function copyWith(name: string, change: (text: string) => string): string {
  const copy = join(newFolder('archive-import-'), 'in');
  cpSync(folder, copy, { recursive: true });
  writeFileSync(join(copy, name), change(readFileSync(join(copy, name), 'utf8')));
  return copy;
}

async function blocksIn({ connection }: Place): Promise<unknown[]> {
  const database = new pg.Client(connection);
  await database.connect();
  const { rows } = await database.query('select account_id, blocked_id from blocks');
  await database.end();
  return rows;
}

describe('an export', () => {
  test('is for its owner’s eyes, explains itself, and is not written over another one', async () => {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(folder).toSorted()).toEqual([
      'README.txt',
      'accounts.jsonl',
      'blocks.jsonl',
      'people.csv',
      'photos.jsonl',
      'pictures',
      'profiles.jsonl',
      'unfinished.jsonl',
    ]);
    for (const name of readdirSync(folder, { recursive: true, withFileTypes: true }))
      if (name.isFile()) expect(statSync(join(name.parentPath, name.name)).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'pictures'))).toHaveLength(5);
    expect(readFileSync(join(folder, 'README.txt'), 'utf8')).toContain(archive.context.institution.name);
    expect(await type(settingsOf(archive), 'export', folder)).toMatchObject({
      code: 1,
      noted: `${folder} is there already. Name a new folder.`,
    });
  });

  test('has everybody in the stored shape, with what they have chosen, and no digest of a cookie or code', () => {
    expect(linesOf('accounts.jsonl')).toHaveLength(4);
    const profile = linesOf('profiles.jsonl').find(({ email }) => email === bola.email);
    const { imgURL: _, visibility: __, version: ___, ...document } = bola.document;
    expect(profile).toMatchObject({ profile: document, isHidden: true, visibility: { bio: 'me' } });
    expect(existsSync(join(folder, (profile as { profile: { imgURL: string } }).profile.imgURL))).toBe(true);
    for (const name of ['accounts.jsonl', 'profiles.jsonl'])
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('token');
  });

  test('has a table that a spreadsheet reads and does not calculate with', () => {
    const table = readFileSync(join(folder, 'people.csv'), 'utf8');
    expect(table.startsWith('\uFEFFemail,title,first_name')).toBe(true);
    expect(table).toContain(',"\'=HYPERLINK(""x"")",');
    expect(table).toContain(',+234 803 555 0101,');
    expect(table).toContain('"1, Marina ""East""\nLagos"');
    for (const [text, written] of [
      ['=1+1', "'=1+1"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['-2+3', "'-2+3"],
      ['+cmd|x', "'+cmd|x"],
      ['+1 (555) 010-0100', '+1 (555) 010-0100'],
      ['\t=1', "'\t=1"],
      ['a,b', '"a,b"'],
      [' a', '" a"'],
    ] as const)
      expect(csvRow([text])).toBe(`${written}\r\n`);
  });
});

describe('an import', () => {
  test('brings everybody back as they were: who sees what, passwords, pictures, photos; and a second time changes nothing', async () => {
    const place = await newPlace(inject('databases'));
    const dry = await type(place.settings, 'import', folder, '--dry-run');
    expect(dry).toEqual({
      code: 0,
      said: 'Would be created: 4, updated: 0, unchanged: 0, errors: 0, warnings: 0.',
      noted: 'Nothing was changed.',
    });
    expect(readdirSync(join(place.settings.DATA_DIR, 'media'))).toEqual(['.removed']);
    expect(await type(place.settings, 'import', folder)).toMatchObject({
      code: 0,
      said: expect.stringContaining('Created: 4, updated: 0, unchanged: 0, errors: 0, warnings: 0.') as string,
    });
    expect(await type(place.settings, 'import', folder)).toMatchObject({
      code: 0,
      said: expect.stringContaining('Created: 0, updated: 0, unchanged: 4, errors: 0, warnings: 0.') as string,
    });
    expect(await type(place.settings, 'import', folder, '--update')).toMatchObject({
      code: 0,
      said: expect.stringContaining('Created: 0, updated: 4, unchanged: 0, errors: 0, warnings: 0.') as string,
    });
    const imported = await place.open();
    expect(await comparable(imported)).toEqual(await comparable(archive));
    // Three portraits, an unfinished one and a photo: what was replaced and what was there already has not stayed.
    expect(readdirSync(imported.context.media.folder).filter((name) => !name.startsWith('.'))).toHaveLength(5);
    const device = imported.device();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password: ada.password } });
    const { imgURL } = await device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    expect((await device.fetch('GET', imgURL ?? '')).statusCode).toBe(200);
    expect(await device.code('GET /api/users/{id}', { params: { id: bola.uid }, query: {} })).toBe('not-found');
    expect((await device.call('GET /api/search', { query: { q: 'ada' } })).items.map(({ id }) => id)).toEqual([
      ada.uid,
    ]);
    await imported.work();
    expect(imported.inbox.to(bola.email)).toEqual([]);
    // Switched on again, Chike is where he was, and not the newest of all.
    expect(await type(settingsOf(imported), 'user', 'enable', chike.email)).toMatchObject({ code: 0 });
    const { rows } = await imported.pool.query<{ isOld: boolean }>(
      `select l.listed_at = p.created_at as "isOld" from listings as l join profiles as p on p.account_id = l.account_id
       where l.account_id = $1`,
      [chike.uid],
    );
    expect(rows).toEqual([{ isOld: true }, { isOld: true }]);
    await imported.close();
    await place.drop();
  });

  test('brings the blocks of those it brings, and none that somebody here has taken back', async () => {
    const place = await newPlace(inject('databases'));
    expect(await type(place.settings, 'import', folder)).toMatchObject({ code: 0 });
    const imported = await place.open();
    const blocks = async () => (await imported.pool.query('select from blocks')).rowCount;
    expect(await blocks()).toBe(1);
    await imported.pool.query('delete from blocks');
    expect(await type(place.settings, 'import', folder)).toMatchObject({ code: 0 });
    expect(await blocks()).toBe(0);
    await imported.close();
    await place.drop();
  });

  test('brings a block with whichever of its two people comes later', async () => {
    for (const late of [ada.email, bola.email]) {
      const place = await newPlace(inject('databases'));
      const bad = copyWith('accounts.jsonl', (text) =>
        text.replace(new RegExp(`("email": ?"${late}".*?"emailVerified": ?)true`, 'u'), '$1"perhaps"'),
      );
      expect((await type(place.settings, 'import', bad)).said).toMatch(/Created: 3, .*errors: [1-9]/u);
      expect(await blocksIn(place)).toEqual([]);
      expect((await type(place.settings, 'import', folder)).said).toContain('Created: 1, updated: 0, unchanged: 3');
      expect(await blocksIn(place)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
      await place.drop();
    }
  });

  test('that is cut short has brought the blocks of those whom it has brought', async () => {
    const place = await newPlace(inject('databases'));
    const ordered = copyWith('accounts.jsonl', (text) =>
      text
        .trim()
        .split('\n')
        .toSorted((one, other) => Number(one.includes(chike.email)) - Number(other.includes(chike.email)))
        .join('\n'),
    );
    const database = new pg.Client(place.connection);
    await database.connect();
    // As where the machine ends before the last one of them.
    await refuse(database, chike.email, '57P01');
    expect((await type(place.settings, 'import', ordered)).code).toBe(1);
    expect(await blocksIn(place)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
    await database.query('drop trigger refuse on accounts');
    await database.end();
    expect((await type(place.settings, 'import', ordered)).said).toContain('Created: 1, updated: 0, unchanged: 3');
    expect(await blocksIn(place)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
    await place.drop();
  });

  test('names the blocks that cannot be read', async () => {
    const place = await newPlace(inject('databases'));
    const bad = copyWith(
      'blocks.jsonl',
      (text) => `${text}a letter\n${JSON.stringify({ email: ada.email, blocked: 'bo\0la@mail.example' })}\n`,
    );
    const { code, said } = await type(place.settings, 'import', bad);
    expect([code, said.split('\n').slice(0, -1)]).toEqual([
      1,
      [
        'blocks.jsonl, line 2: error: This is not JSON.',
        expect.stringMatching(/^blocks\.jsonl, line 3: error: Not of the right form: \/blocked /u),
        'Created: 4, updated: 0, unchanged: 0, errors: 2, warnings: 0.',
      ],
    ]);
    expect(await blocksIn(place)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
    await place.drop();
  });

  test('names each bad line with its reason, and brings in the others', async () => {
    const bad = join(newFolder('archive-import-'), 'in');
    cpSync(folder, bad, { recursive: true });
    const [first = '', second = '', ...more] = readFileSync(join(bad, 'profiles.jsonl'), 'utf8').split('\n');
    writeFileSync(
      join(bad, 'profiles.jsonl'),
      [first.replace(/"admitted":\d+,"graduated":\d+/u, '"admitted":2015,"graduated":2014'), second, ...more].join(
        '\n',
      ),
    );
    appendFileSync(
      join(bad, 'profiles.jsonl'),
      `${second.replace(/"email":"[^"]*"/u, '"email":"nobody@mail.example"')}\n`,
    );
    appendFileSync(
      join(bad, 'accounts.jsonl'),
      'this is a letter\n{"email":"no address","emailVerified":true}\n{"email":"a@b.example"}\n',
    );
    appendFileSync(
      join(bad, 'accounts.jsonl'),
      '{"email":"photo@mail.example","emailVerified":true}\n{"email":"other@mail.example","emailVerified":true}\n',
    );
    const photo = { album: 'A', title: 'B', audience: 'members', createdAt: '2026-01-01T00:00:00Z' };
    appendFileSync(
      join(bad, 'photos.jsonl'),
      [
        { ...photo, email: 'photo@mail.example', picture: 'pictures/../../etc/passwd' },
        { ...photo, email: 'other@mail.example', picture: 'pictures/letter.webp' },
      ]
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    writeFileSync(join(bad, 'pictures', 'letter.webp'), 'a letter');
    const broken = linesOf('accounts.jsonl').findIndex(({ email }) => first.includes(String(email))) + 1;
    for (const words of [['--dry-run'], []]) {
      const place = await newPlace(inject('databases'));
      const { code, said } = await type(place.settings, 'import', bad, ...words);
      expect([code, said.split('\n').slice(0, 7)]).toEqual([
        1,
        [
          `accounts.jsonl, line ${broken}: error: Breaks the rules of the archive: /academic/year/graduated (The year of graduation cannot be before the year of admission).`,
          'accounts.jsonl, line 5: error: This is not JSON.',
          'accounts.jsonl, line 6: error: "no address" is not an email address.',
          expect.stringMatching(/^accounts\.jsonl, line 7: error: Not of the right form: \/emailVerified /u),
          'accounts.jsonl, line 8: error: "pictures/../../etc/passwd" is no file in pictures/.',
          'accounts.jsonl, line 9: error: A picture cannot be read. It has to be a JPEG, PNG or WebP.',
          'profiles.jsonl, line 4: error: There is no line with this address in accounts.jsonl.',
        ],
      ]);
      expect(said.split('\n')[7]).toMatch(/reated: 3, updated: 0, unchanged: 0, errors: 7, warnings: 0\.$/u);
      await place.drop();
    }
  });

  test('takes what no database keeps out of texts, and cuts none in the middle of a character', async () => {
    const place = await newPlace(inject('databases'));
    const texts = {
      interest: 'before\0after',
      bio: 'half \uD83D a character',
      fullBio: `${'a'.repeat(1_999)}😀😀`,
      homeAddress: '1, Marina\r\nLagos',
    };
    const email = 'strange@mail.example';
    const strange = copyWith('accounts.jsonl', (text) => {
      const line = { email, emailVerified: true, termsVersion: '2026\0-01\uDC00' };
      return `${JSON.stringify(line)}\n${text}`;
    });
    appendFileSync(join(strange, 'unfinished.jsonl'), `${JSON.stringify({ email, fields: texts })}\n`);
    expect(await type(place.settings, 'import', strange)).toMatchObject({
      code: 0,
      said: expect.stringContaining('Created: 5, updated: 0, unchanged: 0, errors: 0, warnings: 0.') as string,
    });
    const database = new pg.Client(place.connection);
    await database.connect();
    const { rows } = await database.query(
      `select a.terms_version, u.fields from accounts as a join unfinished_profiles as u on u.account_id = a.id
       where a.email = $1`,
      [email],
    );
    expect(rows).toEqual([
      {
        terms_version: '2026-01',
        fields: {
          interest: 'beforeafter',
          bio: 'half  a character',
          fullBio: `${'a'.repeat(1_999)}😀`,
          homeAddress: '1, Marina\nLagos',
        },
      },
    ]);
    await database.end();
    await place.drop();
  });

  test('names somebody whom the database does not take, and brings in the others', async () => {
    const number = linesOf('accounts.jsonl').findIndex(({ email }) => email === ada.email) + 1;
    for (const sqlState of ['22P05', '23514']) {
      const place = await newPlace(inject('databases'));
      const database = new pg.Client(place.connection);
      await database.connect();
      await refuse(database, ada.email, sqlState);
      await database.end();
      expect(await type(place.settings, 'import', folder)).toMatchObject({
        code: 1,
        said: expect.stringContaining(
          [
            `accounts.jsonl, line ${number}: error: The database refused a value: Refused for a test.`,
            'Created: 3, updated: 0, unchanged: 0, errors: 1, warnings: 0.',
          ].join('\n'),
        ) as string,
      });
      await place.drop();
    }
  });

  test('of something else says what is missing', async () => {
    expect(await type(settingsOf(archive), 'import', newFolder())).toMatchObject({
      code: 1,
      noted: expect.stringMatching(
        /^There is no accounts\.jsonl in .*\. Name a folder that "export" has written\.$/u,
      ) as string,
    });
  });
});

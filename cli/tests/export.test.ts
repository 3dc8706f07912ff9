import { appendFileSync, cpSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { suggestCities } from '#server/domain/careers/places.ts';
import { decodeDataUrl } from '#server/platform/media/media.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import { cleanUp, newFolder } from '#server/testing/server-process.ts';
import { type Installation, createInstallation, readAllRows } from '../backup-format/testing.ts';
import { formatCsvRow } from '#server/platform/storage/csv.ts';
import { rejectAccount, createSettings, runCommand } from '../testing/run-command.ts';

/* Exports an archive in open formats, and imports it into an unused archive. */

const ikeja = suggestCities('Ikeja', 'NG')[0]?.id ?? 0;

let archive: TestArchive;
let folder: string;
let ada: Member;
let bola: Member;
let chike: Member;

beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  ada = await archive.createMember(
    { firstName: 'Ada', contactNumber: '+234 803 555 0101' },
    { bio: '=HYPERLINK("x")' },
  );
  bola = await archive.createMember({ firstName: 'Bọ́lá' }, { homeAddress: '1, Marina "East"\nLagos' });
  await archive.signUp('unverified@mail.example');
  chike = await archive.createMember({ firstName: 'Chike' });
  for (const email of ['unverified@mail.example', chike.email])
    await runCommand(createSettings(archive), 'user', 'disable', email);
  await ada.device.call('POST /api/gallery/photos', {
    body: { title: 'Us', album: 'Convocation', audience: 'everyone', image: await smallPicture() },
  });
  await ada.device.call('PUT /api/blocks/{id}', { params: { id: bola.uid } });
  await bola.device.call('PUT /api/users/{id}/privacy', {
    params: { id: bola.uid },
    body: { isHidden: true, visibility: { bio: 'me' }, version: 'any' },
  });
  const work = { role: 'Engineer', employer: '=SUM(1)', field: 'energy' as const, from: 2015, to: null };
  await ada.device.call('PUT /api/users/{id}/career', {
    params: { id: ada.uid },
    body: {
      positions: [work, { ...work, role: 'Trainee', to: 2018 }],
      city: 'Ikeja',
      cityId: ikeja,
      country: 'NG',
      helps: ['advice', 'talk'],
      visibility: { city: 'everyone' },
      version: 'any',
    },
  });
  // An imported position and place that the owner has not confirmed, and the answer for the tracer report.
  await archive.pool.query(
    `update profiles set city = 'Gwagwalada', country = 'NG', is_place_confirmed = false, career_dismissed_at = now(),
       positions = '[{"role": "Nurse", "employer": "", "field": null, "from": null, "to": null, "confirmedOn": null}]'
     where account_id = $1`,
    [bola.uid],
  );
  await archive.pool.query(`insert into tracer_answers values ($1, 'seeking', null, '2026-03-04')`, [bola.uid]);
  await bola.device.call('PUT /api/notifications/choices', { body: { joined: false, 'photos-added': true } });
  // An incomplete profile, as an import from Firebase creates it.
  await archive.pool.query(
    `insert into unfinished_profiles (account_id, fields, picture)
     select a.id, '{"firstName": "Efe", "year_graduated": "MMXX"}', $1 from accounts as a where a.email = 'unverified@mail.example'`,
    [await archive.context.media.storePortrait(decodeDataUrl(await smallPicture()))],
  );
  folder = join(newFolder('archive-export-'), 'out');
  const made = await runCommand(createSettings(archive), 'export', folder);
  if (made.code !== 0) throw new Error(made.stderr);
});
afterAll(async () => {
  await archive.close();
  await cleanUp();
});

const readJsonLines = (name: string, from = folder): Record<string, unknown>[] =>
  readFileSync(join(from, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const readComparableRows = async ({ pool }: TestArchive) => {
  const { rows: accounts } = await pool.query(
    `select id, email, email_verified, password_hash, display_name, terms_version, takes_messages, takes_announcements, muted_kinds,
       date_trunc('milliseconds', created_at) as created_at,
       date_trunc('milliseconds', disabled_at) as disabled_at from accounts order by email`,
  );
  const { rows: profiles } = await pool.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(p) as row from profiles as p order by account_id',
  );
  const { rows: listings } = await pool.query<{ row: Record<string, unknown> }>(
    'select to_jsonb(l) as row from listings as l order by account_id, audience',
  );
  const omittedColumns = new Set([
    'picture',
    'version',
    'created_at',
    'updated_at',
    'listed_at',
    'career_saved_at',
    'career_dismissed_at',
  ]);
  const omitColumns = ({ row }: (typeof listings)[0]) => ({
    ...Object.fromEntries(Object.entries(row).filter(([name]) => !omittedColumns.has(name))),
    hasPicture: row['picture'] !== null,
  });
  const { listing_counts: counts } = await readAllRows(pool);
  const { rows: tracerAnswers } = await pool.query('select * from tracer_answers');
  const { rows: careerTimes } = await pool.query(
    `select date_trunc('milliseconds', career_saved_at) as saved, date_trunc('milliseconds', career_dismissed_at) as dismissed
     from profiles order by account_id`,
  );
  const { career_counts: careerCounts, employers } = await readAllRows(pool);
  const { rows: blocks } = await pool.query('select account_id, blocked_id from blocks');
  const { rows: photos } = await pool.query(
    `select account_id, album_key, album, title, audience, date_trunc('milliseconds', created_at) as created_at from photos`,
  );
  const { rows: unfinished } = await pool.query(
    'select account_id, fields, picture is null as "hasNone" from unfinished_profiles',
  );
  return {
    unfinished,
    tracerAnswers,
    careerTimes,
    careerCounts,
    employers,
    accounts,
    profiles: profiles.map(omitColumns),
    listings: listings.map(omitColumns),
    counts,
    blocks,
    photos,
  };
};

function copyExport(name: string, change: (text: string) => string): string {
  const copy = join(newFolder('archive-import-'), 'in');
  cpSync(folder, copy, { recursive: true });
  writeFileSync(join(copy, name), change(readFileSync(join(copy, name), 'utf8')));
  return copy;
}

async function readBlocks({ connection }: Installation): Promise<unknown[]> {
  const database = new pg.Client(connection);
  await database.connect();
  const { rows } = await database.query('select account_id, blocked_id from blocks');
  await database.end();
  return rows;
}

describe('export', () => {
  test('writes private files with a README.txt and does not overwrite an existing folder', async () => {
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
    expect(await runCommand(createSettings(archive), 'export', folder)).toMatchObject({
      code: 1,
      stderr: `${folder} already exists. Name a new folder.`,
    });
  });

  test('writes profiles in the stored format with their privacy choices, but no hashes of cookies or codes', () => {
    expect(readJsonLines('accounts.jsonl')).toHaveLength(4);
    const profile = readJsonLines('profiles.jsonl').find(({ email }) => email === bola.email);
    const { imgURL: _, visibility: __, version: ___, ...document } = bola.document;
    expect(profile).toMatchObject({ profile: document, isHidden: true, visibility: { bio: 'me' } });
    expect(existsSync(join(folder, (profile as { profile: { imgURL: string } }).profile.imgURL))).toBe(true);
    for (const name of ['accounts.jsonl', 'profiles.jsonl'])
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain('token');
  });

  test('writes a CSV file without active spreadsheet formulas', () => {
    const table = readFileSync(join(folder, 'people.csv'), 'utf8');
    expect(table.startsWith('\uFEFFemail,title,first_name')).toBe(true);
    expect(table).toContain(',"\'=HYPERLINK(""x"")",');
    expect(table).toContain(',+234 803 555 0101,');
    expect(table).toContain('"1, Marina ""East""\nLagos"');
    for (const [text, written] of [
      ['=1+1', `"'=1+1"`],
      ['@SUM(A1)', `"'@SUM(A1)"`],
      ['-2+3', `"'-2+3"`],
      ['+cmd|x', `"'+cmd|x"`],
      ['+1 (555) 010-0100', '+1 (555) 010-0100'],
      ['\t=1', `"'\t=1"`],
      ['a,b', '"a,b"'],
      [' a', '" a"'],
    ] as const)
      expect(formatCsvRow([text])).toBe(`${written}\r\n`);
  });
});

describe('import', () => {
  test('restores visibility, passwords, pictures and photos, and changes nothing when repeated', async () => {
    const installation = await createInstallation(inject('databases'));
    const dry = await runCommand(installation.settings, 'import', folder, '--dry-run');
    expect(dry).toEqual({
      code: 0,
      stdout: 'Would be created: 4, updated: 0, unchanged: 0, errors: 0, warnings: 0.',
      stderr: 'Dry run: nothing was changed.',
    });
    expect(readdirSync(join(installation.settings.DATA_DIR, 'media'))).toEqual([]);
    expect(await runCommand(installation.settings, 'import', folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Created: 4, updated: 0, unchanged: 0, errors: 0, warnings: 0.') as string,
    });
    expect(await runCommand(installation.settings, 'import', folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Created: 0, updated: 0, unchanged: 4, errors: 0, warnings: 0.') as string,
    });
    expect(await runCommand(installation.settings, 'import', folder, '--update')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Created: 0, updated: 4, unchanged: 0, errors: 0, warnings: 0.') as string,
    });
    const imported = await installation.open();
    expect(await readComparableRows(imported)).toEqual(await readComparableRows(archive));
    // Three portraits, one of an incomplete profile, and a photo. Replaced pictures were deleted.
    expect(readdirSync(imported.context.media.store.location).filter((name) => !name.startsWith('.'))).toHaveLength(5);
    const device = imported.openDevice();
    await device.call('POST /api/identity/sign-in', { body: { email: ada.email, password: ada.password } });
    const { imgURL } = await device.call('GET /api/users/{id}', { params: { id: ada.uid }, query: {} });
    expect((await device.fetch('GET', imgURL ?? '')).statusCode).toBe(200);
    expect(await device.code('GET /api/users/{id}', { params: { id: bola.uid }, query: {} })).toBe('not-found');
    expect((await device.call('GET /api/search', { query: { q: 'ada' } })).items.map(({ id }) => id)).toEqual([
      ada.uid,
    ]);
    await imported.runJobs();
    expect(imported.inbox.to(bola.email)).toEqual([]);
    // Chike keeps his position in lists after his account is enabled, and is not the newest member.
    expect(await runCommand(createSettings(imported), 'user', 'enable', chike.email)).toMatchObject({ code: 0 });
    const { rows } = await imported.pool.query<{ isOld: boolean }>(
      `select l.listed_at = p.created_at as "isOld" from listings as l join profiles as p on p.account_id = l.account_id
       where l.account_id = $1`,
      [chike.uid],
    );
    expect(rows).toEqual([{ isOld: true }, { isOld: true }]);
    await imported.close();
    await installation.drop();
  });

  test('imports only blocks of new people, so that removed blocks are not restored', async () => {
    const installation = await createInstallation(inject('databases'));
    expect(await runCommand(installation.settings, 'import', folder)).toMatchObject({ code: 0 });
    const imported = await installation.open();
    const countBlocks = async () => (await imported.pool.query('select from blocks')).rowCount;
    expect(await countBlocks()).toBe(1);
    await imported.pool.query('delete from blocks');
    expect(await runCommand(installation.settings, 'import', folder)).toMatchObject({ code: 0 });
    expect(await countBlocks()).toBe(0);
    await imported.close();
    await installation.drop();
  });

  test('imports a block when the second of its two people is imported', async () => {
    for (const late of [ada.email, bola.email]) {
      const installation = await createInstallation(inject('databases'));
      const bad = copyExport('accounts.jsonl', (text) =>
        text.replace(new RegExp(`("email": ?"${late}".*?"emailVerified": ?)true`, 'u'), '$1"perhaps"'),
      );
      expect((await runCommand(installation.settings, 'import', bad)).stdout).toMatch(/Created: 3, .*errors: [1-9]/u);
      expect(await readBlocks(installation)).toEqual([]);
      expect((await runCommand(installation.settings, 'import', folder)).stdout).toContain(
        'Created: 1, updated: 0, unchanged: 3',
      );
      expect(await readBlocks(installation)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
      await installation.drop();
    }
  });

  test('imports the blocks of the people imported before an interruption', async () => {
    const installation = await createInstallation(inject('databases'));
    const ordered = copyExport('accounts.jsonl', (text) =>
      text
        .trim()
        .split('\n')
        .toSorted((one, other) => Number(one.includes(chike.email)) - Number(other.includes(chike.email)))
        .join('\n'),
    );
    const database = new pg.Client(installation.connection);
    await database.connect();
    // Simulates an interruption before the last person.
    await rejectAccount(database, chike.email, '57P01');
    expect((await runCommand(installation.settings, 'import', ordered)).code).toBe(1);
    expect(await readBlocks(installation)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
    await database.query('drop trigger refuse on accounts');
    await database.end();
    expect((await runCommand(installation.settings, 'import', ordered)).stdout).toContain(
      'Created: 1, updated: 0, unchanged: 3',
    );
    expect(await readBlocks(installation)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
    await installation.drop();
  });

  test('reports blocks that cannot be read', async () => {
    const installation = await createInstallation(inject('databases'));
    const bad = copyExport(
      'blocks.jsonl',
      (text) => `${text}a letter\n${JSON.stringify({ email: ada.email, blocked: 'bo\0la@mail.example' })}\n`,
    );
    const { code, stdout } = await runCommand(installation.settings, 'import', bad);
    expect([code, stdout.split('\n').slice(0, -1)]).toEqual([
      1,
      [
        'blocks.jsonl, line 2: error: Not valid JSON.',
        expect.stringMatching(/^blocks\.jsonl, line 3: error: Invalid format: \/blocked /u),
        'Created: 4, updated: 0, unchanged: 0, errors: 2, warnings: 0.',
      ],
    ]);
    expect(await readBlocks(installation)).toEqual([{ account_id: ada.uid, blocked_id: bola.uid }]);
    await installation.drop();
  });

  test('reports each invalid line with its reason, and imports the others', async () => {
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
    const broken = readJsonLines('accounts.jsonl').findIndex(({ email }) => first.includes(String(email))) + 1;
    for (const words of [['--dry-run'], []]) {
      const installation = await createInstallation(inject('databases'));
      const { code, stdout } = await runCommand(installation.settings, 'import', bad, ...words);
      expect([code, stdout.split('\n').slice(0, 7)]).toEqual([
        1,
        [
          `accounts.jsonl, line ${broken}: error: These fields are invalid: /academic/year/graduated (The year of graduation cannot be before the year of admission).`,
          'accounts.jsonl, line 5: error: Not valid JSON.',
          'accounts.jsonl, line 6: error: "no address" is not an email address.',
          expect.stringMatching(/^accounts\.jsonl, line 7: error: Invalid format: \/emailVerified /u),
          'accounts.jsonl, line 8: error: "pictures/../../etc/passwd" is not a file in pictures/.',
          'accounts.jsonl, line 9: error: A picture cannot be read. It has to be a JPEG, PNG or WebP.',
          'profiles.jsonl, line 4: error: There is no line with this address in accounts.jsonl.',
        ],
      ]);
      expect(stdout.split('\n')[7]).toMatch(/reated: 3, updated: 0, unchanged: 0, errors: 7, warnings: 0\.$/u);
      await installation.drop();
    }
  });

  test('removes characters that PostgreSQL cannot store, and truncates texts between characters', async () => {
    const installation = await createInstallation(inject('databases'));
    const texts = {
      interest: 'before\0after',
      bio: 'half \uD83D a character',
      fullBio: `${'a'.repeat(1_999)}😀😀`,
      homeAddress: '1, Marina\r\nLagos',
    };
    const email = 'strange@mail.example';
    const strange = copyExport('accounts.jsonl', (text) => {
      const line = { email, emailVerified: true, termsVersion: '2026\0-01\uDC00' };
      return `${JSON.stringify(line)}\n${text}`;
    });
    appendFileSync(join(strange, 'unfinished.jsonl'), `${JSON.stringify({ email, fields: texts })}\n`);
    expect(await runCommand(installation.settings, 'import', strange)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Created: 5, updated: 0, unchanged: 0, errors: 0, warnings: 0.') as string,
    });
    const database = new pg.Client(installation.connection);
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
    await installation.drop();
  });

  test('reports a person whom the database rejects, and imports the others', async () => {
    const number = readJsonLines('accounts.jsonl').findIndex(({ email }) => email === ada.email) + 1;
    for (const sqlState of ['22P05', '23514']) {
      const installation = await createInstallation(inject('databases'));
      const database = new pg.Client(installation.connection);
      await database.connect();
      await rejectAccount(database, ada.email, sqlState);
      await database.end();
      expect(await runCommand(installation.settings, 'import', folder)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining(
          [
            `accounts.jsonl, line ${number}: error: The database refused a value: Refused for a test.`,
            'Created: 3, updated: 0, unchanged: 0, errors: 1, warnings: 0.',
          ].join('\n'),
        ) as string,
      });
      await installation.drop();
    }
  });

  test('reports a folder without accounts.jsonl', async () => {
    expect(await runCommand(createSettings(archive), 'import', newFolder())).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^There is no accounts\.jsonl in .*\. Name a folder that "export" wrote\.$/u,
      ) as string,
    });
  });
});

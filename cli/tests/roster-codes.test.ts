import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { enterConfirmedMode } from '#server/testing/membership.ts';
import { operatorLogPath } from '../support/operator-log.ts';
import { createSettings, runCommand } from '../testing/run-command.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
  await enterConfirmedMode(archive);
});
afterAll(() => archive.close());

let files = 0;

/** Runs the command with a new file. */
async function printCodes(...options: string[]) {
  const path = join(archive.context.config.dataDir, `codes-${++files}.html`);
  const settings = { ...createSettings(archive), PUBLIC_URL: 'https://alumni.example' };
  const result = await runCommand(settings, 'roster', 'codes', '--out', path, ...options);
  const html = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const codes = Array.from(
    html.matchAll(/class="code">(?<code>[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4})</gu),
    ([, code = '']) => code,
  );
  return { ...result, path, html, codes };
}

let entries = 0;

/** Adds an entry to the roster. @returns its matric number */
async function addEntry(department: string, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const number = `PC${++entries}`;
  const values: Record<string, unknown> = {
    matric_key: number,
    matric_number: number,
    last_name: 'Bello',
    first_name: `Ada${entries}`,
    department,
    year_graduated: 2020,
    words: [],
    first_import: 1,
    last_import: 1,
    ...more,
  };
  const names = Object.keys(values);
  await archive.pool.query(
    `insert into roster_entries (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
    Object.values(values),
  );
  return number;
}

test('roster codes writes a private file with a slip for each person in the scope', async () => {
  await addEntry('Physics', { other_names: '<b>Zoë', first_name: 'Chioma' });
  await addEntry('Physics', { year_graduated: 2019 });
  await addEntry('Botany');
  const { code, stdout, html, codes, path } = await printCodes('--department', 'physics', '--year', '2020');
  expect({ code, codes: codes.length }).toEqual({ code: 0, codes: 1 });
  expect(stdout).toContain('Codes: 1. Pages: 1.');
  expect(html).toContain('Bello, Chioma &lt;b&gt;Zoë');
  expect(html).toMatch(/Physics.*Class of 2020/u);
  expect(html).toContain('alumni.example/join');
  expect(html).not.toMatch(/<script|https?:\/\/(?!alumni)|<b>Zoë/u);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const log = readFileSync(operatorLogPath(archive.context.config.dataDir), 'utf8');
  expect(log).toMatch(/"count":1,.*"codes printed by the operator"/u);
  expect(log).not.toContain('Chioma');
  const { rows } = await archive.pool.query<{ stored: string; days: number }>(
    `select encode(code_hash, 'escape') as stored, extract(day from c.expires_at - now())::int as days
     from membership_codes c join roster_entries e on e.id = c.entry_id where e.department = 'Physics'`,
  );
  expect(rows).toEqual([
    {
      stored: expect.not.stringContaining(codes[0]?.replaceAll('-', '') ?? '') as string,
      days: expect.any(Number) as number,
    },
  ]);
  expect(rows[0]?.days).toBeGreaterThan(360);
});

test('roster codes leaves out people who have an account, died, objected or are no longer on the roster', async () => {
  const member = await archive.createMember();
  const claimed = await addEntry('Law');
  await archive.pool.query(
    'insert into roster_links (entry_id, account_id) select id, $2 from roster_entries where matric_key = $1',
    [claimed, member.uid],
  );
  await addEntry('Law', { died_on: '2021-01-01' });
  await addEntry('Law', { is_deceased: true });
  await addEntry('Law', { suppressed_at: new Date() });
  await addEntry('Law', { gone_since: 2 });
  expect(await printCodes('--department', 'Law')).toMatchObject({
    code: 1,
    stderr:
      'The selection contains no one who is on the roster without a confirmed account. Choose another --department, --year or --import.',
    html: '',
  });
  await addEntry('Law', { first_name: 'Free', first_import: 2, last_import: 3 });
  await addEntry('Law', { first_name: 'Other', first_import: 4, last_import: 4 });
  for (const id of ['2', '3']) {
    const { codes, html } = await printCodes('--department', 'Law', '--import', id);
    expect(codes).toHaveLength(1);
    expect(html).toContain('Bello, Free');
  }
});

test('roster codes ends earlier codes of the same people', async () => {
  await addEntry('Music', { first_name: 'Ada' });
  const first = await printCodes('--department', 'Music');
  const second = await printCodes('--department', 'Music');
  expect(second.codes).not.toEqual(first.codes);
  const bello = { firstName: 'Ada', lastName: 'Bello', department: 'Music', yearAdmitted: 2016, yearGraduated: 2020 };
  const person = await archive.createMember(bello);
  const use = (code = '') => person.device.ask('POST /api/membership/codes', { body: { code } });
  expect((await use(first.codes[0])).json()).toMatchObject({ code: 'membership/wrong-code' });
  expect((await use(second.codes[0])).json()).toEqual({ status: 'confirmed' });
  const thief = await archive.createMember();
  expect(await thief.device.code('POST /api/membership/codes', { body: { code: second.codes[0] ?? '' } })).toBe(
    'membership/wrong-code',
  );
});

test('roster codes is refused where printed codes are not accepted', async () => {
  await addEntry('Drama');
  const file = join(archive.context.config.dataDir, 'institution.json');
  const institution = JSON.parse(readFileSync('institution.json', 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...institution, acceptedEvidence: ['staff-review'] }));
  const settings = { ...createSettings(archive), INSTITUTION_FILE: file };
  const result = await runCommand(settings, 'roster', 'codes', '--department', 'Drama', '--dry-run');
  expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('does not accept printed codes') as string });
});

test('roster codes --dry-run and wrong options change nothing', async () => {
  await addEntry('Art');
  expect(await printCodes('--department', 'Art', '--dry-run')).toMatchObject({
    code: 0,
    stdout: 'Codes that would be created: 1. Pages: 1.',
    html: '',
  });
  for (const wrong of [
    ['--valid', '0d'],
    ['--valid', 'soon'],
    ['--year', 'x'],
    ['--import', '-1'],
  ])
    expect(await printCodes('--department', 'Art', ...wrong)).toMatchObject({
      code: expect.any(Number) as number,
      html: '',
    });
  const { path } = await printCodes('--department', 'Art');
  writeFileSync(path, 'kept');
  const again = await runCommand(createSettings(archive), 'roster', 'codes', '--department', 'Art', '--out', path);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('already exists') as string });
  expect(readFileSync(path, 'utf8')).toBe('kept');
  const missing = join(path, 'codes.html');
  expect(await runCommand(createSettings(archive), 'roster', 'codes', '--out', missing)).toMatchObject({ code: 1 });
  const { rows } = await archive.pool.query(
    `select from membership_codes c join roster_entries e on e.id = c.entry_id where e.department = 'Art'`,
  );
  expect(rows).toHaveLength(1);
});

import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { helpKinds } from '#contract/career-values.ts';
import { getInstitutionFacts } from '#contract/institution.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import { type FormField, type ProfileForm, createProfileFormSchema, toDocument, toForm } from '#contract/profile.ts';
import { type VisibilityChoices, profileFields, visibilityRules } from '#contract/visibility.ts';
import { searchWords } from '#server/domain/search/folding.ts';
import { readProfileForm } from '#server/domain/people/profile-form.ts';
import { rebuildSearch } from '#server/domain/search/search-rebuild.ts';
import { disableAccount, enableAccount } from '#server/features/identity/account/disable-account.ts';
import { allSchedules } from '#server/app/jobs.ts';
import { findFailedJobs } from '#server/platform/jobs/failed-jobs.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import type { TestDatabases } from '#server/testing/databases.ts';
import type { Device } from '#server/testing/device.ts';
import { hostileText } from '#server/testing/hostile-text.ts';
import { newFolder } from '#server/testing/server-process.ts';
import { createInstallation, readAllRows } from '../backup-format/testing.ts';
import { createSettings, runCommand } from './run-command.ts';

/*
 * Runs hostile text in every profile field through all operations that read or write it: save, search, hide, disable,
 * nightly jobs, export and import, backup and restore. No step may fail or change the text.
 */

const textFields = {
  firstName: fieldLengths.nameMax,
  middleName: fieldLengths.nameMax,
  lastName: fieldLengths.nameMax,
  otherNames: fieldLengths.lineMax,
  contactNumber: fieldLengths.lineMax,
  homeAddress: fieldLengths.addressMax,
  matricNumber: fieldLengths.nameMax,
  department: fieldLengths.lineMax,
  interest: fieldLengths.interestMax,
  bio: fieldLengths.bioMax,
  fullBio: fieldLengths.fullBioMax,
  xHandle: fieldLengths.handleMax,
  facebookName: fieldLengths.handleMax,
  linkedinName: fieldLengths.handleMax,
} as const satisfies Partial<Record<FormField, number>>;
type TextField = keyof typeof textFields;
const textNames = Object.keys(textFields) as TextField[];
const searchedFields = ['firstName', 'middleName', 'lastName', 'otherNames', 'matricNumber', 'department'] as const;

type Texts = Record<TextField, string>;
const texts = fc.record(
  Object.fromEntries(textNames.map((name) => [name, hostileText(textFields[name])])),
) as fc.Arbitrary<Texts>;

interface Options {
  readonly rounds: number;
  readonly people: number;
  readonly seed: number;
}

/** Runs the rounds. @throws Error with the seed and the texts of the failed round */
export async function testHostileText(databases: TestDatabases, { rounds, people, seed }: Options): Promise<void> {
  const archive = await openArchive(databases);
  try {
    const members: Member[] = [];
    for (let number = 0; number < people; number++) members.push(await archive.createMember());
    const round = fc.asyncProperty(fc.array(texts, { minLength: people, maxLength: people }), async (all) => {
      await runRound(archive, databases, members, all);
    });
    // Shrinking is disabled, because it would take as many rounds again.
    await fc.assert(round, { seed, numRuns: rounds, endOnFailure: true });
  } finally {
    await archive.close();
  }
}

async function runRound(
  archive: TestArchive,
  databases: TestDatabases,
  members: readonly Member[],
  all: readonly Texts[],
): Promise<void> {
  const guest = archive.openDevice();
  await archive.pool.query('delete from throttles; delete from long_throttles');
  const stored: ProfileForm[] = [];
  for (const [at, member] of members.entries()) {
    const texts = all[at] as Texts;
    stored.push(await saveTexts(archive, member, texts));
    await saveCareer(member, [texts.firstName, texts.lastName, texts.department]);
  }
  const [reader] = members as [Member];
  for (const [at, member] of members.entries()) {
    const form = stored[at] as ProfileForm;
    await expectSearchFinds(reader.device, member.uid, form);
    await expectSearchFinds(guest, null, form);
  }
  for (const member of members) await hideAndDisable(archive, member);
  await runNightlyJobs(archive);

  const before = await readContent(archive);
  await rebuildSearch(archive.context.db);
  expect(await readContent(archive)).toEqual(before);

  const folder = newFolder('archive-hostile-');
  const [file, exported] = [join(folder, 'backup.tar.gz'), join(folder, 'export')];
  expect(await runCommand(createSettings(archive), 'backup', file)).toMatchObject({ code: 0 });
  expect(await runCommand(createSettings(archive), 'export', exported)).toMatchObject({ code: 0 });
  for (const [command, from] of [
    ['restore', file],
    ['import', exported],
  ] as const) {
    const installation = await createInstallation(databases);
    expect(await runCommand(installation.settings, command, from)).toMatchObject({ code: 0 });
    const copy = await installation.open();
    await runNightlyJobs(copy);
    expect([command, await readContent(copy)]).toEqual([command, before]);
    await copy.close();
    await installation.drop();
  }
  expect(archive.logged.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
}

/** Saves the texts, and then a version with invalid texts replaced. @returns the form that must be stored */
async function saveTexts(archive: TestArchive, { device, uid }: Member, typed: Texts): Promise<ProfileForm> {
  const { institution } = archive.context;
  const params = { id: uid };
  const { profile } = await device.call('GET /api/users/{id}/document', { params });
  const current = toForm(profile) as ProfileForm;
  const send = async (form: ProfileForm) =>
    (
      await device.ask('PUT /api/users/{id}', {
        params,
        body: { ...toDocument(form), visibility: widestVisibility, version: 'any' },
      })
    ).statusCode;
  const { shape } = createProfileFormSchema(getInstitutionFacts(institution, new Date()));
  const invalidNames = textNames.filter((name) => !shape[name].safeParse(typed[name]).success);
  expect(await send({ ...current, ...typed })).toBe(invalidNames.length > 0 ? 422 : 200);
  const validForm = {
    ...current,
    ...typed,
    ...Object.fromEntries(invalidNames.map((name) => [name, `Valid ${name}`])),
  };
  expect(await send(validForm)).toBe(200);
  const read = readProfileForm(institution, validForm);
  if (!('form' in read)) throw new Error('The saved form breaks a rule.');
  const saved = toForm((await device.call('GET /api/users/{id}/document', { params })).profile) as ProfileForm;
  expect(saved).toEqual({ ...read.form, imgURL: saved.imgURL });
  // Saving the stored form again changes nothing.
  expect(await send(saved)).toBe(200);
  expect(toForm((await device.call('GET /api/users/{id}/document', { params })).profile)).toEqual(saved);
  return saved;
}

/** Saves texts as role, employer and city. Texts that the form refuses are replaced. */
async function saveCareer({ device, uid }: Member, texts: readonly string[]): Promise<void> {
  const params = { id: uid };
  const send = ([role = '', employer = '', city = '']: readonly string[]) =>
    device.ask('PUT /api/users/{id}/career', {
      params,
      body: {
        positions: [{ role, employer, field: 'arts', from: 2001, to: null }],
        city,
        cityId: null,
        country: 'NG',
        helps: [...helpKinds],
        visibility: { city: 'everyone', country: 'everyone' },
        version: 'any',
      },
    });
  const first = await send(texts);
  expect([200, 422]).toContain(first.statusCode);
  if (first.statusCode === 422) {
    const { errors = [] } = first.json<{ errors?: { pointer: string }[] }>();
    const places = ['/positions/0/role', '/positions/0/employer', '/city'];
    const valid = texts.map((text, at) =>
      errors.some(({ pointer }) => pointer === places[at]) ? `Valid ${at}` : text,
    );
    expect((await send(valid)).statusCode).toBe(200);
  }
  const { positions, city, country, helps } = await device.call('GET /api/users/{id}/career', { params });
  // Saving the stored values again changes nothing.
  const [position] = positions;
  expect((await send([position?.role ?? '', position?.employer ?? '', city])).statusCode).toBe(200);
  expect(await device.call('GET /api/users/{id}/career', { params })).toMatchObject({
    positions,
    city,
    country,
    helps,
  });
}

const widestVisibility: VisibilityChoices = Object.fromEntries(
  profileFields.map((field) => [field, visibilityRules[field].widest]),
);

async function expectSearchFinds(device: Device, uid: string | null, form: ProfileForm): Promise<void> {
  for (const name of searchedFields) {
    const text = form[name] ?? '';
    for (const q of new Set(['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => text.normalize(form)))) {
      if (q === '' || q.length > fieldLengths.lineMax) continue;
      const { items } = await device.call('GET /api/search', { query: { q } });
      for (const { matches } of items)
        for (const match of matches) expect([match, areValidMarks(match)]).toEqual([match, true]);
      const words = searchWords(q);
      // Words of one or two letters only match the start of a surname. A card does not show every letter of a matric
      // number.
      const isSearchable =
        words.some((word) => [...word].length > 2) &&
        !(name === 'matricNumber' && words.some((word) => /^\p{L}$/u.test(word)));
      if (uid !== null && isSearchable)
        expect([q, items.map(({ id }) => id)]).toEqual([q, expect.arrayContaining([uid])]);
    }
  }
}

function areValidMarks({ text, marks }: { text: string; marks: readonly (readonly [number, number])[] }): boolean {
  let end = 0;
  for (const [from, to] of marks) {
    const parts = [text.slice(0, from), text.slice(from, to), text.slice(to)];
    if (from < end || to <= from || to > text.length || !parts.every((part) => part.isWellFormed())) return false;
    end = to;
  }
  return true;
}

async function hideAndDisable({ context, app }: TestArchive, { device, uid, email, password }: Member): Promise<void> {
  const listed = async () =>
    await context.db.selectFrom('listings').selectAll().where('account_id', '=', uid).orderBy('audience').execute();
  const before = await listed();
  const setHidden = (isHidden: boolean) =>
    device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { isHidden, version: 'any' } });
  await setHidden(true);
  expect(await listed()).toEqual([]);
  await setHidden(false);
  expect((await listed()).map(omitListColumns)).toEqual(before.map(omitListColumns));
  expect(await disableAccount(context, uid, app.log)).toBe(true);
  expect(await listed()).toEqual([]);
  expect(await enableAccount(context, uid, app.log)).toBe(true);
  expect((await listed()).map(omitListColumns)).toEqual(before.map(omitListColumns));
  await device.call('POST /api/identity/sign-in', { body: { email, password } });
}

const omitListColumns = (row: Record<string, unknown>) => omit(row, ['listed_at', 'picture']);

const omit = (row: Record<string, unknown>, columns: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)));

async function runNightlyJobs(archive: TestArchive): Promise<void> {
  const { db } = archive.context;
  for (const { job } of allSchedules) await job.queue(db, {});
  await archive.runJobs();
  expect(await findFailedJobs(db)).toEqual([]);
}

async function readContent({ pool }: TestArchive): Promise<Record<string, unknown>> {
  const {
    profiles = [],
    listings = [],
    listing_counts: counts = [],
    career_counts: careerCounts,
    employers = [],
  } = await readAllRows(pool);
  const parse = (rows: readonly string[]) => rows.map((row) => JSON.parse(row) as Record<string, unknown>);
  const { rows: words } = await pool.query('select word, people from search_words order by word');
  const { rows: spellings } = await pool.query(
    'select s.key, w.word from search_spellings as s join search_words as w on w.id = s.word_id order by 1, 2',
  );
  // Which of several spellings names an employer depends on who came first.
  const { rows: unshown } = await pool.query(
    `select from employers as e where words <> people_words(name) or not exists (
       select from listings where audience = 'members' and employer_key = e.key and employer = e.name)`,
  );
  expect(unshown).toEqual([]);
  return {
    profiles: parse(profiles).map((row) =>
      omit(row, ['created_at', 'updated_at', 'picture', 'version', 'career_saved_at']),
    ),
    listings: parse(listings).map(omitListColumns),
    counts: parse(counts).filter(({ people }) => people !== 0),
    careerCounts,
    employers: parse(employers).map((row) => omit(row, ['name', 'words'])),
    words,
    spellings,
  };
}

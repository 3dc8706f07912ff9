import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect } from 'vitest';
import { getInstitutionFacts } from '#contract/institution.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import { type FormField, type ProfileForm, createProfileFormSchema, toDocument, toForm } from '#contract/profile.ts';
import { type VisibilityChoices, profileFields, visibilityRules } from '#contract/visibility.ts';
import { searchWords } from '#server/domain/folding.ts';
import { readProfileForm } from '#server/domain/profile-form.ts';
import { rebuildSearch } from '#server/domain/search-rebuild.ts';
import { disableAccount, enableAccount } from '#server/features/identity/account/disable-account.ts';
import { allSchedules } from '#server/jobs.ts';
import { findFailedJobs } from '#server/platform/jobs/failed-jobs.ts';
import { type Member, type TestArchive, openArchive } from '#server/testing/archive.ts';
import type { TestDatabases } from '#server/testing/databases.ts';
import type { Device } from '#server/testing/device.ts';
import { hostileText } from '#server/testing/hostile-text.ts';
import { newFolder } from '#server/testing/product.ts';
import { newPlace, rowsOf } from '../backup-format/testing.ts';
import { settingsOf, type } from './run-command.ts';

/*
 * Takes hostile text in every field of a profile through everything that reads or writes it: save, search, hide, disable, nightly jobs,
 * export and import, backup and restore. Nothing may fail, and nothing may change on the way.
 */

/** The fields that people type, with their longest value. */
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
const searched = ['firstName', 'middleName', 'lastName', 'otherNames', 'matricNumber', 'department'] as const;

type Texts = Record<TextField, string>;
const texts = fc.record(
  Object.fromEntries(textNames.map((name) => [name, hostileText(textFields[name])])),
) as fc.Arbitrary<Texts>;

interface Options {
  /** How often everybody gets new texts. */
  readonly rounds: number;
  readonly people: number;
  /** Repeats a run. */
  readonly seed: number;
}

/** @throws Error with the seed and the texts of the round that failed */
export async function tryHostileText(databases: TestDatabases, { rounds, people, seed }: Options): Promise<void> {
  const archive = await openArchive(databases);
  try {
    const members: Member[] = [];
    for (let number = 0; number < people; number++) members.push(await archive.join());
    const round = fc.asyncProperty(fc.array(texts, { minLength: people, maxLength: people }), async (all) => {
      await takeThrough(archive, databases, members, all);
    });
    // A smaller failing example would take as many rounds again.
    await fc.assert(round, { seed, numRuns: rounds, endOnFailure: true });
  } finally {
    await archive.close();
  }
}

async function takeThrough(
  archive: TestArchive,
  databases: TestDatabases,
  members: readonly Member[],
  all: readonly Texts[],
): Promise<void> {
  const guest = archive.device();
  await archive.pool.query('delete from throttles');
  const stored: ProfileForm[] = [];
  for (const [at, member] of members.entries()) stored.push(await save(archive, member, all[at] as Texts));
  const [reader] = members as [Member];
  for (const [at, member] of members.entries()) {
    const form = stored[at] as ProfileForm;
    await search(reader.device, member.uid, form);
    await search(guest, null, form);
  }
  for (const member of members) await hideAndDisable(archive, member);
  await doNightlyJobs(archive);

  const before = await contentOf(archive);
  await rebuildSearch(archive.context.db);
  expect(await contentOf(archive)).toEqual(before);

  const folder = newFolder('archive-hostile-');
  const [file, exported] = [join(folder, 'backup.tar.gz'), join(folder, 'export')];
  expect(await type(settingsOf(archive), 'backup', file)).toMatchObject({ code: 0 });
  expect(await type(settingsOf(archive), 'export', exported)).toMatchObject({ code: 0 });
  for (const [command, from] of [
    ['restore', file],
    ['import', exported],
  ] as const) {
    const place = await newPlace(databases);
    expect(await type(place.settings, command, from)).toMatchObject({ code: 0 });
    const copy = await place.open();
    await doNightlyJobs(copy);
    expect([command, await contentOf(copy)]).toEqual([command, before]);
    await copy.close();
    await place.drop();
  }
  expect(archive.logged.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
}

/** Saves the texts as they are, and then those that break a rule replaced. @returns what has to be stored */
async function save(archive: TestArchive, { device, uid }: Member, typed: Texts): Promise<ProfileForm> {
  const { institution } = archive.context;
  const params = { id: uid };
  const { profile } = await device.call('GET /api/users/{id}/document', { params });
  const current = toForm(profile) as ProfileForm;
  const send = async (form: ProfileForm) =>
    (
      await device.ask('PUT /api/users/{id}', {
        params,
        body: { ...toDocument(form), visibility: shown, version: 'any' },
      })
    ).statusCode;
  const { shape } = createProfileFormSchema(getInstitutionFacts(institution, new Date()));
  const wrong = textNames.filter((name) => !shape[name].safeParse(typed[name]).success);
  expect(await send({ ...current, ...typed })).toBe(wrong.length > 0 ? 422 : 200);
  const fitting = { ...current, ...typed, ...Object.fromEntries(wrong.map((name) => [name, `Fitting ${name}`])) };
  expect(await send(fitting)).toBe(200);
  const read = readProfileForm(institution, fitting);
  if (!('form' in read)) throw new Error('What was saved breaks a rule.');
  const saved = toForm((await device.call('GET /api/users/{id}/document', { params })).profile) as ProfileForm;
  expect(saved).toEqual({ ...read.form, imgURL: saved.imgURL });
  // Saving what is there changes nothing.
  expect(await send(saved)).toBe(200);
  expect(toForm((await device.call('GET /api/users/{id}/document', { params })).profile)).toEqual(saved);
  return saved;
}

/** As much as each field can show to everyone. */
const shown: VisibilityChoices = Object.fromEntries(
  profileFields.map((field) => [field, visibilityRules[field].widest]),
);

/** Searches for each field in several spellings. @param uid who has to be found; null if no one should be found */
async function search(device: Device, uid: string | null, form: ProfileForm): Promise<void> {
  for (const name of searched) {
    const text = form[name] ?? '';
    for (const q of new Set(['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => text.normalize(form)))) {
      if (q === '' || q.length > fieldLengths.lineMax) continue;
      const { items } = await device.call('GET /api/search', { query: { q } });
      for (const { matches } of items)
        for (const match of matches) expect([match, areMarks(match)]).toEqual([match, true]);
      const words = searchWords(q);
      // One or two letters are the beginning of a surname, and a card does not show every letter of a matric number.
      const isLookedFor =
        words.some(({ length }) => length > 2) &&
        !(name === 'matricNumber' && words.some((word) => /^\p{L}$/u.test(word)));
      if (uid !== null && isLookedFor)
        expect([q, items.map(({ id }) => id)]).toEqual([q, expect.arrayContaining([uid])]);
    }
  }
}

/** Whether marks are parts of the text, one after another, that cut no character in two. */
function areMarks({ text, marks }: { text: string; marks: readonly (readonly [number, number])[] }): boolean {
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
  expect((await listed()).map(without)).toEqual(before.map(without));
  expect(await disableAccount(context, uid, app.log)).toBe(true);
  expect(await listed()).toEqual([]);
  expect(await enableAccount(context, uid, app.log)).toBe(true);
  expect((await listed()).map(without)).toEqual(before.map(without));
  await device.call('POST /api/identity/sign-in', { body: { email, password } });
}

/** When somebody came into a list, and as which copy a picture is stored, is not a question of text. */
const without = (row: Record<string, unknown>) => omit(row, ['listed_at', 'picture']);

const omit = (row: Record<string, unknown>, columns: readonly string[]) =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !columns.includes(column)));

async function doNightlyJobs(archive: TestArchive): Promise<void> {
  const { db } = archive.context;
  for (const { job } of allSchedules) await job.queue(db, {});
  await archive.work();
  expect(await findFailedJobs(db)).toEqual([]);
}

/** Everything that comes from the texts of people, and is the same wherever they are. */
async function contentOf({ pool }: TestArchive): Promise<Record<string, unknown>> {
  const { profiles = [], listings = [], listing_counts: counts = [] } = await rowsOf(pool);
  const parse = (rows: readonly string[]) => rows.map((row) => JSON.parse(row) as Record<string, unknown>);
  const { rows: words } = await pool.query('select word, people from search_words order by word');
  const { rows: spellings } = await pool.query(
    'select s.key, w.word from search_spellings as s join search_words as w on w.id = s.word_id order by 1, 2',
  );
  return {
    profiles: parse(profiles).map((row) => omit(row, ['created_at', 'updated_at', 'picture', 'version'])),
    listings: parse(listings).map(without),
    counts: parse(counts).filter(({ people }) => people !== 0),
    words,
    spellings,
  };
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { getInstitutionFacts, type Institution } from '#contract/institution.ts';
import { createProfileFormSchema } from '#contract/profile.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { openArchive } from '#server/testing/archive.ts';
import { demoAccount, demoEnvironment, seedCampus } from './campus.ts';
import { inventPerson } from './invent.ts';
import { createRandom } from './random.ts';

const defaultInstitution = readInstitution('institution.json');
const year = new Date().getUTCFullYear();

const otherInstitution: Institution = {
  ...defaultInstitution,
  titles: ['Dr'],
  programs: ['LL.M'],
  firstYear: year,
  colleges: [{ code: 'LAW', name: 'Faculty of Law', departments: [] }],
};

test.each<[string, Institution]>([
  ['the default institution', defaultInstitution],
  ['an institution with other titles and programs, a single year, and no departments', otherInstitution],
  ['an institution founded in 1900', { ...otherInstitution, firstYear: 1900, titles: ['mr.', 'miss', 'Dr'] }],
])('inventPerson returns valid profile forms for %s', (_, institution) => {
  const random = createRandom(1);
  const form = createProfileFormSchema(getInstitutionFacts(institution, new Date()));
  for (let person = 0; person < 200; person++) {
    const invented = inventPerson(random, institution, year);
    expect(form.safeParse({ ...invented, imgURL: null }).error?.issues ?? [], JSON.stringify(invented)).toEqual([]);
  }
});

test('seedCampus uses the configured institution and creates the demo account', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-institution-'));
  const file = join(folder, 'institution.json');
  writeFileSync(file, JSON.stringify({ ...otherInstitution, firstYear: 2020 }));
  const archive = await openArchive(inject('databases'), { INSTITUTION_FILE: file });
  try {
    await seedCampus(archive.context, { people: 5, portraits: 1 });
    const device = archive.openDevice();
    await device.call('POST /api/identity/sign-in', { body: demoAccount });
    const facets = await device.call('GET /api/users/facets', { query: {} });
    expect(facets.departments.map(({ value }) => value)).toEqual(['Faculty of Law']);
    expect(facets.programs.map(({ value }) => value)).toEqual(['LL.M']);
  } finally {
    await archive.close();
    rmSync(folder, { recursive: true });
  }
});

test(
  'seedCampus invents work at 120 employers in 60 cities, six help offers and tracer answers',
  { tags: ['release'] },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'archive-institution-'));
    const file = join(folder, 'institution.json');
    writeFileSync(file, JSON.stringify({ ...defaultInstitution, tracerReport: true }));
    const archive = await openArchive(inject('databases'), { INSTITUTION_FILE: file });
    try {
      await seedCampus(archive.context, { people: 1_500, portraits: 0 });
      const { rows } = await archive.pool.query(
        `select (select count(distinct positions -> 0 ->> 'employer')::int from profiles) as employers,
         (select count(distinct city_id)::int from profiles) as cities,
         (select count(*)::int from profiles where city <> '' and city_id is null) as unknown,
         (select count(*)::int from listings where helps <> 0 and audience = 'members') as helpers,
         (select count(*)::int from employers where name in ('GTBank', 'GT Bank Ltd.', 'Guaranty Trust Bank')) as banks,
         (select count(*) > 500 from tracer_answers) as "hasAnswers"`,
      );
      expect(rows).toEqual([{ employers: 120, cities: 60, unknown: 0, helpers: 6, banks: 2, hasAnswers: true }]);
    } finally {
      await archive.close();
      rmSync(folder, { recursive: true });
    }
  },
);

test('seedCampus without a roster makes a newcomer a member as soon as the profile is complete', async () => {
  const archive = await openArchive(inject('databases'));
  try {
    await seedCampus(archive.context, { people: 5, portraits: 1 });
    const { device } = await archive.createMember();
    expect(await device.call('GET /api/users/count', { query: {} })).toMatchObject({ count: 6 });
    const { items } = await device.call('GET /api/users', { query: {} });
    expect(items.find(({ matricNumber }) => matricNumber)).toBeDefined();
    const { rows } = await archive.pool.query(
      'select (select mode from membership_mode) as mode, (select count(*)::int from staff_roles) as roles',
    );
    expect(rows).toEqual([{ mode: 'open', roles: 0 }]);
  } finally {
    await archive.close();
  }
});

test('demoEnvironment sets a data folder per mode and refuses DATABASE_URL', { tags: ['asvs-6.3.2'] }, () => {
  expect(demoEnvironment({ PORT: '4000' }, 'open')).toMatchObject({ PORT: '4000', DATA_DIR: 'demo-data/open' });
  expect(demoEnvironment({ DATABASE_URL: '', DATA_DIR: '/srv/data' }, 'confirmed')).toMatchObject({
    DATA_DIR: '/srv/data/demo/confirmed',
  });
  // The pictures and keys of a real archive.
  const real = { MEDIA_URL: 's3://bucket', SECRETS_DIR: '/srv/keys', SECOND_FACTOR_KEY: 'a key', TOKEN_KEY: 'a key' };
  expect(demoEnvironment(real, 'open')).toMatchObject({
    MEDIA_URL: '',
    SECRETS_DIR: '',
    SECOND_FACTOR_KEY: '',
    TOKEN_KEY: '',
  });
  expect(() => demoEnvironment({ DATABASE_URL: 'postgres://u:p@db/archive' }, 'open')).toThrow(
    'DATABASE_URL= npm run demo',
  );
});

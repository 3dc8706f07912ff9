import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type HelpKind, type WorkField, helpKinds, workFieldNames } from '#contract/career-values.ts';
import type { Career as CareerOfProfile, CareerFilters, PositionInput } from '#contract/careers.ts';
import { type Card, directorySorts } from '#contract/directory.ts';
import type { Institution } from '#contract/institution.ts';
import type { Profile } from '#contract/profile.ts';
import { type Audience, type ProfileField, type VisibilityChoices, profileFields } from '#contract/visibility.ts';
import { hideUntilSignIn } from '#server/domain/accounts/hidden-until-sign-in.ts';
import { findPerson, updateListings } from '#server/domain/people/people.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import {
  hidePhoto,
  hideProfile,
  restoreAccount,
  restorePhoto,
  restoreProfile,
  suspendAccount,
} from '#server/domain/staff/moderation.ts';
import { disableAccount, enableAccount } from '#server/features/identity/account/disable-account.ts';
import { type Member, openArchive, smallPicture, type TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { confirmMember, enterConfirmedMode } from '#server/testing/membership.ts';
import { createTestWeb } from '#server/testing/pages.ts';
import { newFolder } from '#server/testing/server-process.ts';

/*
 * Members with random visibility choices, read by every kind of viewer through all calls of the OpenAPI document and
 * all pages. The archive requires confirmation, so that accounts without it are among the viewers and the people.
 * The expected visibility is computed from D15 in docs/conformance.md, independently of the server's code.
 */

const forMembersAtMost: readonly ProfileField[] = [
  'dob',
  'email',
  'contactNumber',
  'homeAddress',
  'matricNumber',
  'positions',
  'helps',
];
const forMembersByDefault = new Set<ProfileField>([
  ...forMembersAtMost,
  'title',
  'gender',
  'college',
  'fullBio',
  'xHandle',
  'facebookName',
  'linkedinName',
  'otherNames',
  'city',
  'country',
]);

interface Choice {
  readonly visibility: VisibilityChoices;
  readonly isHidden: boolean;
  readonly isDisabled: boolean;
  readonly awaitsSignIn: boolean;
  readonly act: 'none' | 'hide-profile' | 'suspend' | 'hide-photo';
  readonly status: 'confirmed' | 'unconfirmed' | 'disputed' | 'rejected';
  /** Whether the person is seventeen, so that only members see the profile. */
  readonly isMinor: boolean;
  readonly takesMessages: boolean;
  /** False for a city and country that were imported. */
  readonly isPlaceConfirmed: boolean;
}

type ViewerRole = 'guest' | 'member';

function canSee(
  viewer: ViewerRole,
  { visibility, isHidden, isDisabled, awaitsSignIn, act, status, isMinor, takesMessages, isPlaceConfirmed }: Choice,
  field: ProfileField,
): boolean {
  const isShown = (one: ProfileField) => {
    const chosen: Audience = visibility[one] ?? (forMembersByDefault.has(one) ? 'members' : 'everyone');
    if (chosen === 'me') return false;
    return viewer === 'member' || (chosen === 'everyone' && !forMembersAtMost.includes(one));
  };
  if (isMinor && viewer === 'guest') return false;
  if (act === 'hide-profile' || act === 'suspend') return false;
  if (['city', 'country'].includes(field) && !(isPlaceConfirmed && isShown('country'))) return false;
  if (field === 'helps' && !takesMessages) return false;
  return !isHidden && !isDisabled && !awaitsSignIn && status === 'confirmed' && isShown('name') && isShown(field);
}

const textFields = [
  'email',
  'contactNumber',
  'homeAddress',
  'matricNumber',
  'department',
  'interest',
  'bio',
  'fullBio',
  'xHandle',
  'facebookName',
  'linkedinName',
  'otherNames',
] as const;
const searchable = new Set<ProfileField>([
  'name',
  'otherNames',
  'department',
  'matricNumber',
  'college',
  'yearGraduated',
]);

/** Functions that create words too different to be matched as misspellings. */
const words = 'bcdfghjklm'.split('').map((letter, at) => {
  const vowel = 'aeiou'.charAt(at % 5);
  return (stem: string) => `${letter}${vowel}${letter}${stem}${vowel}${letter}${vowel}`;
});
const titled = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const countries = [
  ['TV', 'Tuvalu'],
  ['NR', 'Nauru'],
  ['BT', 'Bhutan'],
  ['ER', 'Eritrea'],
  ['SR', 'Suriname'],
  ['VU', 'Vanuatu'],
] as const;

interface Career {
  /** The current position, then an earlier one. */
  readonly positions: readonly [PositionInput, PositionInput];
  /** From an import, so only the owner sees it until a save confirms it. */
  readonly unconfirmed: PositionInput;
  readonly city: string;
  readonly country: string;
  readonly countryName: string;
  readonly help: HelpKind;
}

function careerOf(number: number): Career {
  const word = (stem: string) => titled((words[number] ?? String)(stem));
  const work = { field: workFieldNames[number] as WorkField, from: 2010, to: null };
  const [country = '', countryName = ''] = countries[number] ?? [];
  return {
    positions: [
      { ...work, role: word('role'), employer: word('firm') },
      { ...work, role: word('junior'), employer: word('stall'), to: 2014 },
    ],
    unconfirmed: { ...work, role: word('rumour'), employer: word('hearsay') },
    city: word('town'),
    country,
    countryName,
    help: helpKinds[number % helpKinds.length] as HelpKind,
  };
}

const people = 6;
function withInstitution(change: Partial<Institution>): NodeJS.ProcessEnv {
  const file = join(newFolder('institution-'), 'institution.json');
  const own = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'institution.json'), 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...own, ...change }));
  return { INSTITUTION_FILE: file };
}

let archive: TestArchive;
let members: Member[];
let careers: Map<Member, Career>;
let onlooker: Member;
interface Caller {
  readonly viewer: ViewerRole;
  readonly device: Device;
  readonly name: string;
}

let guests: Caller[];
let insider: Caller;
let routes: string[];

beforeAll(async () => {
  archive = await openArchive(inject('databases'), withInstitution({ tracerReport: true }), createTestWeb());
  members = [];
  for (let number = 0; number < people; number++) {
    const word = (stem: string) => (words[number] ?? String)(stem);
    members.push(
      await archive.createMember(
        {
          firstName: titled(word('first')),
          middleName: titled(word('middle')),
          lastName: titled(word('last')),
          otherNames: titled(word('former')),
          contactNumber: `+234 80${number} 555 44${number}${number}`,
          homeAddress: `${number} ${titled(word('street'))}`,
          matricNumber: `${word('mt').slice(0, 6).toUpperCase()}${number}123456/7`,
          college: number % 2 === 0 ? 'COSIT' : 'COSPED',
          department: titled(word('dept')),
          dob: `198${number}-0${number + 1}-1${number}`,
          yearAdmitted: 2000 + number,
          yearGraduated: 2005 + number,
          interest: word('interest'),
          bio: word('bio'),
          fullBio: word('story'),
          xHandle: word('x'),
          facebookName: word('face'),
          linkedinName: word('linked'),
        },
        {},
      ),
    );
  }
  for (const { device, uid } of members)
    await device.call('POST /api/gallery/photos', {
      body: { title: `Photo ${uid}`, album: 'Album', audience: 'everyone', image: await smallPicture() },
    });
  careers = new Map(members.map((member, number) => [member, careerOf(number)]));
  for (const [{ device, uid }, { positions, unconfirmed, city, country, help }] of careers) {
    await device.call('PUT /api/users/{id}/career', {
      params: { id: uid },
      body: {
        positions: [...positions],
        city,
        cityId: null,
        country,
        helps: [help],
        tracer: { activity: 'self-employed', inField: false },
        version: 'any',
      },
    });
    await archive.pool.query('update profiles set positions = $2::jsonb || positions where account_id = $1', [
      uid,
      JSON.stringify({ ...unconfirmed, confirmedOn: null }),
    ]);
  }
  onlooker = await archive.createMember({ department: 'Looking', lastName: 'Onlooker', college: 'COVTED' });
  const unconfirmed = await archive.createMember({ department: 'Waiting', lastName: 'Unconfirmed' });
  await enterConfirmedMode(archive);
  for (const member of [onlooker, ...members]) await confirmMember(archive, member);
  guests = [
    { viewer: 'guest', name: 'a guest', device: archive.openDevice() },
    { viewer: 'guest', name: 'an unverified user', device: (await archive.signUp()).device },
    { viewer: 'guest', name: 'a user without a profile', device: (await archive.signUpVerified()).device },
    { viewer: 'guest', name: 'an unconfirmed user', device: unconfirmed.device },
  ];
  insider = { viewer: 'member', name: 'a member', device: onlooker.device };
  const description = await archive.openDevice().fetch('GET', '/api/openapi.json');
  const { paths } = description.json<{ paths: Record<string, Record<string, object>> }>();
  routes = Object.entries(paths).flatMap(([path, methods]) => ('get' in methods ? [path] : []));
});
afterAll(() => archive.close());

/** Addresses of calls that need more than an id. The event stream is omitted, because it does not end. */
const specialAddresses: Record<string, (member: Member) => string[]> = {
  '/api/notifications/stream': () => [],
  '/api/search': (member) =>
    [...searchesFor(member).map(({ text }) => text), ...careerTextsOf(member)].map(
      (text) => `/api/search?q=${encodeURIComponent(text)}`,
    ),
  '/api/search/careers': (member) =>
    careerTextsOf(member).map((text) => `/api/search/careers?q=${encodeURIComponent(text)}`),
  // The beginning of the name, so that the response does not only repeat the address.
  '/api/employers': (member) => careerTextsOf(member).map((text) => `/api/employers?q=${text.slice(0, 4)}`),
};

const careerOfMember = (member: Member) => careers.get(member) as Career;

function careerTextsOf(member: Member): string[] {
  const { positions, unconfirmed, city } = careerOfMember(member);
  return [...positions, unconfirmed].flatMap(({ role, employer }) => [role, employer]).concat(city);
}

function searchesFor({ document, email }: Member): { field: ProfileField; text: string }[] {
  const { name, academic } = document;
  return [
    { field: 'name', text: name.last },
    { field: 'name', text: `${name.first} ${name.last}` },
    { field: 'otherNames', text: name.other ?? '' },
    { field: 'department', text: academic.department },
    { field: 'matricNumber', text: academic.matricNumber },
    { field: 'email', text: email },
    { field: 'bio', text: document.bio },
    { field: 'interest', text: document.interest },
    { field: 'homeAddress', text: document.homeAddress.split(' ')[1] ?? '' },
    { field: 'xHandle', text: document.social.x },
  ];
}

const addressesOf = (route: string, member: Member): string[] =>
  specialAddresses[route]?.(member) ?? [route.replace('{id}', member.uid)];

const pagesOf = ({ uid, document }: Member) => [
  `/user/${uid}`,
  `/search?q=${document.name.last}`,
  `/search?q=${document.academic.department}`,
  `/class/${document.academic.department}/${document.academic.year.graduated}`,
];
const pages = new Set([
  '/',
  '/?department=all',
  '/?department=all&view=list',
  '/home',
  '/gallery',
  '/careers',
  '/notification',
  '/messages',
  '/settings',
  '/myprofile',
]);

/** Returns the text that identifies a field's value in a response. Cards show only the beginning of a matric number. */
function textOf({ document, email }: Member, field: (typeof textFields)[number]): string {
  const { academic, social } = document;
  const texts: Record<(typeof textFields)[number], string> = {
    email,
    contactNumber: document.contactNumber,
    homeAddress: document.homeAddress,
    matricNumber: academic.matricNumber.slice(0, 11),
    department: academic.department,
    interest: document.interest,
    bio: document.bio,
    fullBio: document.fullBio,
    xHandle: social.x,
    facebookName: social.facebook,
    linkedinName: social.linkedin,
    otherNames: document.name.other ?? '',
  };
  return texts[field];
}

function secretsOf(member: Member, choice: Choice, viewer: ViewerRole): string[] {
  const { first, middle, last } = member.document.name;
  return [
    ...(canSee(viewer, choice, 'name') ? [] : [first, middle, last]),
    ...textFields.filter((field) => !canSee(viewer, choice, field)).map((field) => textOf(member, field)),
    ...(choice.isDisabled || ['suspend', 'hide-photo'].includes(choice.act) || choice.status !== 'confirmed'
      ? [`Photo ${member.uid}`]
      : []),
    ...careerSecretsOf(member, choice, viewer),
    // Only the owner sees the year of birth.
    dobOf(member, choice),
  ];
}

function careerSecretsOf(member: Member, choice: Choice, viewer: ViewerRole): string[] {
  const { positions, unconfirmed, city, country, countryName } = careerOfMember(member);
  const textsOf = ({ role, employer }: PositionInput) => [role, employer];
  return [
    ...textsOf(unconfirmed),
    // A tracer answer.
    '"activity"',
    ...(canSee(viewer, choice, 'positions') ? [] : positions.flatMap(textsOf)),
    ...(canSee(viewer, choice, 'city') ? [] : [city]),
    ...(canSee(viewer, choice, 'country') ? [] : [countryName, `"country":"${country}"`]),
  ];
}

const choices: fc.Arbitrary<Choice> = fc.record({
  // Each field has its default or one of the audiences.
  visibility: fc.record(
    Object.fromEntries(profileFields.map((field) => [field, fc.constantFrom('everyone', 'members', 'me')])),
    { requiredKeys: [] },
  ),
  isHidden: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  isDisabled: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  awaitsSignIn: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  act: fc.oneof(
    { weight: 5, arbitrary: fc.constant('none' as const) },
    { weight: 2, arbitrary: fc.constantFrom('hide-profile' as const, 'suspend' as const, 'hide-photo' as const) },
  ),
  status: fc.oneof(
    { weight: 5, arbitrary: fc.constant('confirmed' as const) },
    { weight: 2, arbitrary: fc.constantFrom('unconfirmed' as const, 'disputed' as const, 'rejected' as const) },
  ),
  isMinor: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  isPlaceConfirmed: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  takesMessages: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
});

test(
  'all calls and pages hide every field from viewers outside its audience, for random choices',
  { tags: ['asvs-8.2.3', 'asvs-8.3.1', 'asvs-15.3.1'] },
  // Each of the four kinds of guests reads two rounds. With this seed, a listed person has each audience of each field.
  () => checkRandomChoices({ numRuns: 8, seed: 284 }),
);

test('all calls and pages hide every field, for more random choices', { tags: ['release'] }, () =>
  checkRandomChoices({ numRuns: 60, seed: 2027 }),
);

async function checkRandomChoices(parameters: { numRuns: number; seed: number }): Promise<void> {
  let round = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(choices, { minLength: people, maxLength: people }), async (chosen) => {
      for (const [at, member] of members.entries()) await applyChoice(member, chosen[at] as Choice);
      // A response cached before the changes would be valid for another second.
      archive.context.listCache.clear();
      const everybody = members.map((member, at) => ({ member, choice: chosen[at] as Choice }));
      // The kinds of guests alternate.
      const guest = guests[round++ % guests.length] as Caller;
      for (const { viewer, device, name } of [guest, insider]) {
        await expectNoHiddenText(everybody, viewer, device, name);
        await expectExactResults(everybody, viewer, device, name);
      }
    }),
    { ...parameters, endOnFailure: true },
  );
}

const dobOf = ({ document: { dob } }: Member, { isMinor }: Pick<Choice, 'isMinor'>): string =>
  isMinor ? `${new Date().getUTCFullYear() - 17}${dob.slice('YYYY'.length)}` : dob;

async function applyChoice(
  member: Member,
  { isDisabled, awaitsSignIn, act, status, isMinor, takesMessages, isPlaceConfirmed, ...choice }: Choice,
): Promise<void> {
  const { device, uid, email, password } = member;
  const { context, app } = archive;
  await enableAccount(context, uid, app.log);
  await moderate(uid, 'none');
  await device.call('POST /api/identity/sign-in', { body: { email, password } });
  const params = { id: uid };
  const { profile } = await device.call('GET /api/users/{id}/document', { params });
  const dob = dobOf(member, { isMinor });
  if (profile.dob !== dob) {
    const body = { ...member.document, dob, imgURL: profile.imgURL };
    await device.call('PUT /api/users/{id}', { params, body });
  }
  await choose(device, uid, choice);
  await device.call('PUT /api/contact/choices', { body: { takesMessages } });
  await setPlaceConfirmed(uid, isPlaceConfirmed);
  await context.db.transaction().execute((tx) => setMembershipStatus(tx, uid, status));
  if (awaitsSignIn) await context.db.transaction().execute((tx) => hideUntilSignIn(tx, uid, 'unused'));
  await moderate(uid, act);
  if (isDisabled) await disableAccount(context, uid, app.log);
}

async function setPlaceConfirmed(uid: string, isConfirmed: boolean): Promise<void> {
  const { db } = archive.context;
  const before = await findPerson(db, uid);
  await archive.pool.query('update profiles set is_place_confirmed = $2 where account_id = $1', [uid, isConfirmed]);
  const person = await findPerson(db, uid);
  if (person) await db.transaction().execute((tx) => updateListings(tx, person, before));
}

async function moderate(uid: string, act: Choice['act']): Promise<void> {
  const by = { actor: null };
  const { rows } = await archive.pool.query<{ id: string }>('select id from photos where account_id = $1', [uid]);
  const photoIds = rows.map(({ id }) => id);
  await archive.context.db.transaction().execute(async (tx) => {
    if (act === 'hide-profile') await hideProfile(tx, uid, by);
    if (act === 'suspend') await suspendAccount(tx, uid, new Date(Date.now() + 3_600_000), by);
    if (act === 'hide-photo') for (const id of photoIds) await hidePhoto(tx, id, by);
    if (act !== 'none') return;
    await restoreProfile(tx, uid, by);
    await restoreAccount(tx, uid, by);
    for (const id of photoIds) await restorePhoto(tx, id, by);
  });
}

async function choose(
  device: Device,
  uid: string,
  choice: Omit<
    Choice,
    'isDisabled' | 'awaitsSignIn' | 'act' | 'status' | 'isMinor' | 'takesMessages' | 'isPlaceConfirmed'
  >,
): Promise<void> {
  const visibility = Object.fromEntries(
    profileFields.map((field) => [field, forMembersByDefault.has(field) ? 'members' : 'everyone']),
  );
  await device.call('PUT /api/users/{id}/privacy', {
    params: { id: uid },
    body: { ...choice, visibility: { ...visibility, ...choice.visibility }, version: 'any' },
  });
}

type Everybody = readonly { readonly member: Member; readonly choice: Choice }[];

async function expectNoHiddenText(
  everybody: Everybody,
  viewer: ViewerRole,
  device: Device,
  name: string,
): Promise<void> {
  const addresses = new Set([
    ...routes.flatMap((route) => everybody.flatMap(({ member }) => addressesOf(route, member))),
    ...everybody.flatMap(({ member }) => pagesOf(member)),
    ...pages,
    ...directorySorts.map((sort) => `/api/users?limit=96&sort=${sort}`),
    '/api/gallery/photos?album=album',
  ]);
  for (const address of addresses) {
    const { statusCode, body } = await device.fetch('GET', address);
    expect(statusCode, address).toBeLessThan(pages.has(address) ? 400 : 500);
    // Responses may repeat the search text from the URL.
    const typed = decodeURIComponent(address);
    for (const { member, choice } of everybody)
      for (const secret of secretsOf(member, choice, viewer))
        if (!typed.includes(secret) && body.includes(secret))
          expect.fail(`${name} received “${secret}” of ${JSON.stringify(choice)} from ${address}`);
  }
}

async function expectExactResults(
  everybody: Everybody,
  viewer: ViewerRole,
  device: Device,
  name: string,
): Promise<void> {
  const seen = (field: ProfileField) => everybody.filter(({ choice }) => canSee(viewer, choice, field));
  const ids = (of: Everybody) => of.map(({ member }) => member.uid).toSorted();
  const others = [onlooker.uid];
  const idsIn = (cards: readonly Card[]) =>
    cards
      .map(({ id }) => id)
      .filter((id) => !others.includes(id))
      .toSorted();

  const { items } = await device.call('GET /api/users', { query: { limit: 96 } });
  expect(idsIn(items), name).toEqual(ids(seen('name')));
  for (const sort of ['newest', 'class'] as const) {
    const sorted = await device.call('GET /api/users', { query: { limit: 96, sort } });
    expect(new Set(sorted.items), `${name} sorts by ${sort}`).toEqual(new Set(items));
    const years = sorted.items.map(({ yearGraduated = 0 }) => yearGraduated);
    if (sort === 'class') expect(years, name).toEqual(years.toSorted((one, other) => other - one));
  }
  const { count } = await device.call('GET /api/users/count', { query: {} });
  expect(count, name).toBe(seen('name').length + others.length);
  for (const { member, choice } of seen('name')) {
    const card = items.find(({ id }) => id === member.uid);
    expect(Object.keys(card ?? {}).toSorted(), name).toEqual(
      [
        'id',
        'thumb',
        'name',
        'schoolLabel',
        'label',
        ...(['department', 'yearGraduated', 'matricNumber'] as const).filter((field) => canSee(viewer, choice, field)),
      ].toSorted(),
    );
    expect(card?.thumb !== null, name).toBe(canSee(viewer, choice, 'picture'));
  }

  const facets = await device.call('GET /api/users/facets', { query: {} });
  const counted = (of: Everybody, pick: (member: Member) => string) => {
    const counts: Record<string, number> = {};
    for (const { member } of of) counts[pick(member)] = (counts[pick(member)] ?? 0) + 1;
    return counts;
  };
  const shown = (list: readonly { value: string; count: number }[], isMeant: (value: string) => boolean) =>
    Object.fromEntries(list.filter(({ value }) => isMeant(value)).map(({ value, count }) => [value, count]));
  const own = new Set(everybody.map(({ member }) => member.document.academic.department));
  // Guests cannot filter by departments of fewer than three people, and each of these has one.
  expect(
    shown(facets.departments, (value) => own.has(value)),
    name,
  ).toEqual(viewer === 'guest' ? {} : counted(seen('department'), ({ document }) => document.academic.department));
  expect(
    shown(facets.colleges, (value) => value !== 'COVTED'),
    name,
  ).toEqual(counted(seen('college'), ({ document }) => document.academic.college));
  for (const { member } of everybody) {
    const { department, college, year } = member.document.academic;
    const listed = async (query: object) =>
      idsIn((await device.call('GET /api/users', { query: { limit: 96, ...query } })).items);
    const having = (field: ProfileField, is: (other: Member) => boolean) =>
      ids(seen(field).filter(({ member: other }) => is(other)));
    expect(await listed({ department }), name).toEqual(
      having('department', ({ document }) => document.academic.department === department),
    );
    expect(await listed({ college }), name).toEqual(
      having('college', ({ document }) => document.academic.college === college),
    );
    const { graduated } = year;
    expect(await listed({ graduatedFrom: graduated, graduatedTo: graduated }), name).toEqual(
      having('yearGraduated', ({ document }) => document.academic.year.graduated === graduated),
    );
    for (const { field, text } of searchesFor(member)) {
      const found = await device.call('GET /api/search', { query: { q: text } });
      const isFound =
        searchable.has(field) && everybody.some((one) => one.member === member && canSee(viewer, one.choice, field));
      expect(idsIn(found.items), `${name} searches ${field}: ${text}`).toEqual(isFound ? [member.uid] : []);
      const counts = await device.call('GET /api/search/facets', { query: { q: text } });
      expect([found.count, counts.count], `${name} searches ${field}: ${text}`).toEqual(isFound ? [1, 1] : [0, 0]);
    }
  }

  await expectExactCareers(everybody, viewer, device, name);

  for (const { member, choice } of everybody) {
    const response = await device.ask('GET /api/users/{id}', { params: { id: member.uid }, query: {} });
    expect(response.statusCode, name).toBe(canSee(viewer, choice, 'name') ? 200 : 404);
    if (response.statusCode === 200) {
      expectOnly(response.json<Profile>(), choice, viewer, name);
      expectCareer(response.json<Profile>(), member);
    }
  }
}

/** Everyone's employer, field, country and city are different. */
async function expectExactCareers(everybody: Everybody, viewer: ViewerRole, device: Device, name: string) {
  const seen = (field: ProfileField) => everybody.filter(({ choice }) => canSee(viewer, choice, field));
  const valuesOf = (field: ProfileField, pick: (career: Career) => string | null) =>
    seen(field).map(({ member }) => pick(careerOfMember(member)));
  const overview = await device.call('GET /api/careers/overview', { query: {} });
  if (viewer === 'guest') {
    expect([name, overview]).toEqual([name, { areas: [], countries: [], fields: [], employers: [] }]);
    expect((await device.fetch('GET', '/api/careers')).statusCode, name).toBeGreaterThanOrEqual(400);
    return;
  }
  const shown = {
    countries: overview.countries.map(({ country, people }) => `${country} ${people}`),
    fields: overview.fields.map(({ field, people }) => `${field} ${people}`),
    employers: overview.employers.map((employer) => `${employer.name} ${employer.people}`),
  };
  const once = (values: readonly (string | null)[]) => values.map((value) => `${value} 1`);
  const expected = {
    countries: once(valuesOf('country', ({ country }) => country)),
    fields: once(valuesOf('positions', ({ positions: [{ field }] }) => field)),
    employers: once(valuesOf('positions', ({ positions: [{ employer }] }) => employer)),
  };
  for (const kind of ['countries', 'fields', 'employers'] as const)
    expect([name, kind, shown[kind].toSorted()]).toEqual([name, kind, expected[kind].toSorted()]);

  for (const { member, choice } of everybody) {
    const { positions, city, country, help } = careerOfMember(member);
    const [{ role, employer, field }, { employer: former }] = positions;
    const list = async (query: CareerFilters) =>
      (await device.call('GET /api/careers', { query })).items.filter(({ id }) => id === member.uid);
    const sees = (one: ProfileField) => canSee(viewer, choice, one);
    for (const [query, one] of [
      [{ employer: employer.toLowerCase() }, 'positions'],
      [{ field: field as WorkField }, 'positions'],
      [{ country }, 'country'],
      [{ help }, 'helps'],
    ] as const) {
      const items = await list(query);
      expect([name, query, items.length]).toEqual([name, query, sees(one) ? 1 : 0]);
      for (const item of items)
        expect([name, item]).toEqual([
          name,
          expect.objectContaining({
            ...(sees('positions') && { role, employer }),
            ...(sees('city') && { city }),
            ...(sees('country') && { country }),
          }),
        ]);
    }
    for (const { employer: other } of [{ employer: former }, careerOfMember(member).unconfirmed])
      expect([name, await list({ employer: other.toLowerCase() })]).toEqual([name, []]);
    const { employers } = await device.call('GET /api/employers', { query: { q: employer.slice(0, 6) } });
    expect([name, employers.length]).toEqual([name, sees('positions') ? 1 : 0]);
  }
}

/** Fields that are shown have the owner's values: `expectOnly` checks which ones are. */
function expectCareer({ career = {} }: Profile, member: Member): void {
  const { positions, city, country, help } = careerOfMember(member);
  const expected: Required<Omit<CareerOfProfile, 'positions'>> & { positions: unknown } = {
    positions: positions.map((position) => expect.objectContaining(position) as unknown),
    city,
    country,
    helps: [help],
  };
  for (const [field, value] of Object.entries(career))
    expect([field, value]).toEqual([field, expected[field as keyof CareerOfProfile]]);
}

function expectOnly(
  { academic, name: names, social, imgURL, career = {}, ...profile }: Profile,
  choice: Choice,
  viewer: ViewerRole,
  name: string,
) {
  const present: Partial<Record<ProfileField, unknown>> = {
    title: profile.title,
    gender: profile.gender,
    dob: profile.dob,
    email: profile.email,
    contactNumber: profile.contactNumber,
    homeAddress: profile.homeAddress,
    matricNumber: academic.matricNumber,
    college: academic.college,
    department: academic.department,
    program: academic.program,
    yearAdmitted: academic.year.admitted,
    yearGraduated: academic.year.graduated,
    interest: profile.interest,
    bio: profile.bio,
    fullBio: profile.fullBio,
    xHandle: social.x,
    facebookName: social.facebook,
    linkedinName: social.linkedin,
    otherNames: names.other,
    picture: imgURL ?? undefined,
    positions: career.positions,
    city: career.city,
    country: career.country,
    helps: career.helps,
  };
  for (const field of profileFields)
    if (field !== 'name')
      expect([name, field, present[field] !== undefined]).toEqual([name, field, canSee(viewer, choice, field)]);
}

test('a profile can be indexed only if institution and owner allow it and guests see the name', async () => {
  const pageFor = async (from: TestArchive, uid: string) => (await from.openDevice().fetch('GET', `/user/${uid}`)).body;
  const noindex = '<meta name="robots" content="noindex">';
  const robots = async (from: TestArchive) => (await from.openDevice().fetch('GET', '/robots.txt')).body;
  const indexed = { visibility: { name: 'everyone' as const }, isHidden: false, isIndexed: true };

  const [here] = members;
  if (!here) throw new Error('There is no member.');
  const visible = {
    visibility: {},
    isHidden: false,
    isDisabled: false,
    awaitsSignIn: false,
    isMinor: false,
    takesMessages: true,
    isPlaceConfirmed: true,
  };
  await applyChoice(here, { ...visible, act: 'none', status: 'confirmed' });
  await here.device.call('PUT /api/users/{id}/privacy', {
    params: { id: here.uid },
    body: { ...indexed, version: 'any' },
  });
  expect(await pageFor(archive, here.uid)).toContain(noindex);
  expect(await robots(archive)).not.toContain('/user/');

  const open = await openArchive(inject('databases'), withInstitution({ allowsIndexing: true }), createTestWeb());
  try {
    expect(await robots(open)).toContain('Allow: /user/');
    const { uid, device } = await open.createMember();
    expect(await pageFor(open, uid)).toContain(noindex);
    const choose = (body: Partial<typeof indexed> | { visibility: { name: 'members' } }) =>
      device.call('PUT /api/users/{id}/privacy', { params: { id: uid }, body: { ...body, version: 'any' } });
    await choose(indexed);
    expect(await pageFor(open, uid)).not.toContain(noindex);
    expect((await open.openDevice().fetch('GET', '/')).body).toContain(noindex);
    await choose({ visibility: { name: 'members' } });
    expect(await pageFor(open, uid)).toContain(noindex);
    await choose({ ...indexed, isHidden: true });
    expect(await pageFor(open, uid)).toContain(noindex);
  } finally {
    await open.close();
  }
});

test('pages escape markup in profile fields, also in the embedded data', { tags: ['asvs-1.2.3'] }, async () => {
  const evil = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
  // Its member would appear in the lists of the other tests.
  const own = await openArchive(inject('databases'), {}, createTestWeb());
  try {
    const { uid } = await own.createMember({ bio: evil, interest: evil, lastName: 'Markup' });
    for (const path of [`/user/${uid}`, '/search?q=markup', `/search?q=${encodeURIComponent(evil)}`]) {
      const { body } = await own.openDevice().fetch('GET', path);
      expect(body, path).not.toMatch(/<script>alert|<img src=x/u);
    }
    expect((await own.openDevice().fetch('GET', `/user/${uid}`)).body).toContain('&lt;/script&gt;');
  } finally {
    await own.close();
  }
});

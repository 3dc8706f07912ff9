import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { groupMembershipCode } from '#server/domain/membership/membership-codes.ts';
import type { CallParts } from '#contract/call.ts';
import { toWireRequest } from '#contract/call.ts';
import { endpoints } from '#contract/endpoints.ts';
import type { EndpointName } from '#contract/endpoint.ts';
import type { Problem } from '#contract/problem.ts';
import { setMembershipStatus } from '#server/domain/membership/membership.ts';
import type { Media } from '#server/platform/media/media.ts';
import { type Member, type TestArchive, openArchive, smallPicture } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { type MemberEndpointName, endpointInputs, unknownId } from '#server/testing/endpoint-inputs.ts';
import { addEntry, confirmMember, enterConfirmedMode, printCode } from '#server/testing/membership.ts';
import { createTestWeb, pagePaths } from '#server/testing/pages.ts';
import { recordStatements } from '#server/testing/statements.ts';

/*
 * What an account may do that the institution has not confirmed: exactly what a guest may do, and access its own data.
 * Random visibility choices are in `privacy.test.ts`.
 */

let archive: TestArchive;
/** A confirmed person, whose planted texts are for members only. */
let ada: Member;
/** An unconfirmed person, whose planted texts are for themselves only. */
let ghost: Member;
let member: Member;
let reader: Member;

const plantedBy = (person: string) => ({
  email: `${person}quux@mail.example`,
  lastName: `${person}zorblatt`,
  otherNames: `${person}wumpus`,
  matricNumber: `${person.toUpperCase()}77/0042`,
  contactNumber: person === 'ada' ? '+234 805 111 7788' : '+234 805 222 9966',
  homeAddress: `4 ${person}plumbus street`,
  department: `${person}gronk studies`,
  fullBio: `${person}frobnicate`,
  bio: `${person}blivet`,
  photo: `${person}snark`,
  album: `${person}boojum`,
});

async function createPlanted(person: 'ada' | 'ghost', audience: 'members' | 'everyone'): Promise<Member> {
  const { photo, album, email: _, ...planted } = plantedBy(person);
  const created = await archive.createMember({ ...planted, college: 'COSIT', yearGraduated: 2011, yearAdmitted: 2007 });
  await created.device.call('POST /api/gallery/photos', {
    body: { title: photo, album, audience, image: await smallPicture() },
  });
  return created;
}

beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
  ada = await createPlanted('ada', 'members');
  // The department is visible to guests by default, and a hidden name hides it too.
  await ada.device.call('PUT /api/users/{id}/privacy', {
    params: { id: ada.uid },
    body: { visibility: { name: 'members', picture: 'members' }, version: 'any' },
  });
  ghost = await createPlanted('ghost', 'everyone');
  member = await archive.createMember({ department: 'Botany', yearGraduated: 2011 });
  reader = await archive.createMember({ department: 'Botany', yearGraduated: 2011 });
  await enterConfirmedMode(archive);
  for (const confirmed of [ada, member]) await confirmMember(archive, confirmed);
  await archive.runJobs();
});
afterAll(() => archive.close());

type Kind = 'guest' | 'member' | 'own';
type Choose = (callerId: string) => readonly CallParts[];

const ofOthers: Choose = () => [ada, ghost, member].map(({ uid }) => ({ params: { id: uid } }));
const ofSelf: Choose = (id) => [{ params: { id } }];
const searches: Choose = () =>
  [ada, ghost, member].flatMap(({ document: { name, academic } }) =>
    [name.last, academic.department, academic.matricNumber].map((q) => ({ query: { q } })),
  );
const filters: Choose = () => [{}, { query: { department: 'Botany' } }, { query: { college: 'COSIT' } }];
const never: Choose = () => [];

const inputs: { readonly [Name in MemberEndpointName]?: Choose } = {
  // A secret in the request decides, not the session.
  'POST /api/identity/sign-up': never,
  'POST /api/identity/sign-in': never,
  'POST /api/identity/action-code/check': never,
  'POST /api/identity/action-code/apply': never,
  'POST /api/identity/password-reset': never,
  'POST /api/identity/password-reset/confirm': never,
  'GET /api/identity/sign-in/second-factor': never,
  'POST /api/identity/sign-in/second-factor/options': never,
  'POST /api/identity/sign-in/second-factor': never,
  'POST /api/identity/sign-in/passkey/options': never,
  'POST /api/identity/sign-in/passkey': never,
  'POST /api/membership/disputes': never,
  'POST /api/reports/check': never,
  'POST /api/reports': never,
  'POST /api/reports/confirm': never,
  // A signed-in reporter needs no mail. `content-reports.test.ts` has the rest.
  'POST /api/reports/{kind}/{id}': never,
  // Each response has its own reference. See `browser-errors.test.ts`.
  'POST /api/browser-errors': never,
  'POST /api/identity/sign-out': never,
  // Differ for a guest.
  'GET /api/identity/session': never,
  // Tests of the token configure another site. An unconfirmed account gets none (`site-token.test.ts`).
  'POST /api/identity/token': never,
  // Tests of campus sign-on configure a provider (`campus/*.test.ts`).
  'GET /api/identity/campus': never,
  'GET /api/identity/campus/arrival': never,
  'POST /api/identity/campus/sign-up': never,
  'POST /api/identity/campus': never,
  'DELETE /api/identity/campus': never,
  'POST /api/membership/campus': never,
  // Its response does not end.
  'GET /api/notifications/stream': never,
  'POST /api/identity/passkeys': never,
  'POST /api/identity/reauthenticate': () => [{ body: { password: 'a long enough word' } }],
  'GET /api/users': () => filters('').map(({ query }) => ({ query: { limit: 96, ...query } })),
  'GET /api/users/count': filters,
  'GET /api/users/facets': filters,
  'GET /api/users/years': filters,
  'GET /api/users/{id}': ofOthers,
  'GET /api/users/{id}/document': ofSelf,
  'GET /api/users/{id}/unfinished': ofSelf,
  'PUT /api/users/{id}': (id) => [{ params: { id }, body: { ...reader.document, imgURL: null } }],
  'GET /api/users/{id}/privacy': ofSelf,
  'PUT /api/users/{id}/privacy': (id) => [{ params: { id }, body: { isHidden: true, version: 'any' } }],
  'GET /api/search': searches,
  'GET /api/search/facets': searches,
  'GET /api/gallery/photos': () => [{}, ...['adaboojum', 'ghostboojum'].map((album) => ({ query: { album } }))],
  'GET /api/users/{id}/export': ofSelf,
  'GET /api/users/{id}/disclosures': ofSelf,
  'POST /api/users/{id}/messages': () =>
    ofOthers('').map((input) => ({ ...input, body: { text: 'Hello', shareEmail: false } })),
  'GET /api/users/{id}/contact': ofOthers,
  'PUT /api/blocks/{id}': ofOthers,
  'DELETE /api/blocks/{id}': ofOthers,
  'GET /api/reports/{kind}/{id}': () =>
    [ada, ghost, member].map(({ uid: id }) => ({ params: { kind: 'profile', id } })),
};

const names = Object.keys(endpointInputs) as MemberEndpointName[];

/**
 * Returns what an endpoint is for an unconfirmed account. `guest`: everyone may call it, and the account gets the
 * response of a guest. `member`: only members may. `own`: concerns only the caller's own account, and works without a
 * confirmation.
 */
function kindOf(name: MemberEndpointName): Kind {
  const { access } = endpoints[name];
  // Only members see the link of someone else.
  if (access === 'member' || access === 'confirmed' || name.includes('/vouch-links/')) return 'member';
  return access === 'everyone' ? 'guest' : 'own';
}

const inputsOf = (name: MemberEndpointName, callerId: string): readonly CallParts[] =>
  inputs[name]?.(callerId) ?? [endpointInputs[name] as CallParts];

async function callAll(
  kind: Kind,
  { device, uid }: Pick<Member, 'device' | 'uid'>,
  only: readonly MemberEndpointName[] = names,
) {
  const called: { name: EndpointName; url: string; status: number; body: string }[] = [];
  for (const name of only.filter((one) => kindOf(one) === kind))
    for (const input of inputsOf(name, uid)) {
      const { method, url, body } = toWireRequest(name, input);
      const response = await device.fetch(method, url, body);
      called.push({ name, url: `${method} ${url}`, status: response.statusCode, body: response.body });
    }
  return called;
}

const guest = (): Pick<Member, 'device' | 'uid'> => ({ device: archive.openDevice(), uid: unknownId });

function expectNone(words: readonly string[], url: string, body: string): void {
  const typed = decodeURIComponent(url).toLowerCase();
  const lower = body.toLowerCase();
  for (const word of words.map((one) => one.toLowerCase()))
    if (!typed.includes(word) && lower.includes(word)) expect.fail(`“${word}” is in the response to ${url}`);
}
const wordsOf = (person: 'ada' | 'ghost') => {
  const { uid, email } = person === 'ada' ? ada : ghost;
  return [...Object.values(plantedBy(person)).map((text) => text.slice(0, 11)), uid, email];
};

describe('an unconfirmed account', () => {
  test('gets the response of a guest from every endpoint that guests may call', async () => {
    const [asReader, asVisitor] = [await callAll('guest', reader), await callAll('guest', guest())];
    expect(asReader).toEqual(asVisitor);
    expect(asReader.length).toBeGreaterThan(30);
    for (const { url, body } of asReader) expectNone([...wordsOf('ada'), ...wordsOf('ghost')], url, body);
  });

  test('is refused wherever a guest is refused', async () => {
    for (const { url, status } of await callAll('member', guest())) expect([url, status]).toEqual([url, 401]);
    for (const { url, status, body } of await callAll('member', reader)) {
      expect([url, status]).toEqual([url, 403]);
      expect((JSON.parse(body) as Problem).detail).toBe('Confirm that you studied here first.');
    }
  });

  test('appears in no response to a member', async () => {
    const called = [...(await callAll('guest', member)), ...(await callAll('member', member))];
    for (const { url, body } of called) expectNone(wordsOf('ghost'), url, body);
    // The test would find the words: members receive those of a confirmed person.
    const all = called.map(({ body }) => body).join('\n');
    for (const word of ['adazorblatt', 'adawumpus', 'adasnark', 'adaboojum']) expect(all).toContain(word);
  });

  test('can do everything that concerns only its own account', async () => {
    const owner = await archive.createMember({ lastName: 'Ownerson' });
    const last = 'DELETE /api/identity/account';
    const inOrder = [...names.filter((name) => name !== last), last] as const;
    const called = await callAll('own', owner, inOrder);
    expect(called.length).toBeGreaterThan(35);
    for (const { url, status, body } of called) {
      expectNone([...wordsOf('ada'), ...wordsOf('ghost')], url, body);
      if (status < 400) continue;
      const { code, detail } = JSON.parse(body) as Problem;
      expect(['auth/unauthenticated', 'auth/unverified-email', 'validation-failed'], `${url}: ${body}`).not.toContain(
        code,
      );
      expect(detail, url).not.toBe('Confirm that you studied here first.');
    }
    expect(called.at(-1)).toMatchObject({ name: 'DELETE /api/identity/account', status: 200 });
  });

  test('gets the own data of no one else', async () => {
    for (const name of names.filter((one) => kindOf(one) === 'own' && one.includes('/users/{id}')))
      for (const viewer of [reader, member])
        for (const input of inputsOf(name, ada.uid)) {
          const { method, url, body } = toWireRequest(name, input);
          const response = await viewer.device.fetch(method, url, body);
          expect([url, response.statusCode]).toEqual([url, 403]);
        }
  });

  test('sees and deletes its own photos, which no one else sees', async () => {
    const photosFor = async (device: Device) =>
      (await device.call('GET /api/gallery/photos', { query: {} })).items.filter(({ title }) => title === 'ghostsnark');
    const albumsFor = async (device: Device) =>
      (await device.call('GET /api/gallery/albums')).albums.filter(({ title }) => title === 'ghostboojum');
    expect(await photosFor(ghost.device)).toMatchObject([{ isOwn: true, by: null }]);
    expect(await albumsFor(ghost.device)).toMatchObject([{ photos: 1 }]);
    for (const device of [archive.openDevice(), member.device, reader.device])
      expect([await photosFor(device), await albumsFor(device)]).toEqual([[], []]);
    const own = await archive.createMember();
    await confirmMember(archive, own);
    const { id } = await own.device.call('POST /api/gallery/photos', {
      body: { title: 'Gate', album: 'Campus', audience: 'members', image: await smallPicture() },
    });
    await archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, own.uid, 'rejected'));
    expect(await own.device.code('GET /api/users/{id}/contact', { params: { id: ada.uid } })).toBe('permission-denied');
    await own.device.call('DELETE /api/gallery/photos/{id}', { params: { id } });
  });

  test('adds no photo if its confirmation is withdrawn during the upload', async () => {
    const one = await archive.createMember();
    await confirmMember(archive, one);
    const media = archive.context.media as { storePhoto: Media['storePhoto'] };
    const storePhoto = media.storePhoto.bind(media);
    media.storePhoto = async (image, isPublic) => {
      media.storePhoto = storePhoto;
      await archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, one.uid, 'disputed'));
      return storePhoto(image, isPublic);
    };
    const body = { title: 'Gate', album: 'Campus', audience: 'everyone' as const, image: await smallPicture() };
    expect(await one.device.code('POST /api/gallery/photos', { body })).toBe('permission-denied');
  });

  test('reads the names of blocked people as guests do', async () => {
    const one = await archive.createMember();
    await confirmMember(archive, one);
    await one.device.call('PUT /api/blocks/{id}', { params: { id: ada.uid } });
    const blocked = async () => (await one.device.call('GET /api/blocks')).people.map(({ name }) => name);
    expect((await blocked())[0]).toContain('adazorblatt');
    await archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, one.uid, 'unconfirmed'));
    expect(await blocked()).toEqual([null]);
  });
});

async function findTraces({ uid, document: { name, academic } }: Member) {
  const traces: Record<string, unknown> = {};
  for (const [viewer, device] of [
    ['guest', archive.openDevice()],
    ['member', member.device],
  ] as const) {
    const query = { department: academic.department };
    const list = await device.call('GET /api/users', { query: { limit: 96 } });
    const { faces } = await device.call('GET /api/users/welcome');
    const found = await device.call('GET /api/search', { query: { q: name.last } });
    const misspelled = await device.call('GET /api/search', { query: { q: `${name.last.slice(0, -1)}x` } });
    const photos = await device.call('GET /api/gallery/photos', { query: {} });
    const profile = await device.ask('GET /api/users/{id}', { params: { id: uid }, query: {} });
    traces[viewer] = {
      list: list.items.findIndex(({ id }) => id === uid),
      faces: faces.findIndex(({ id }) => id === uid),
      count: (await device.call('GET /api/users/count', { query })).count,
      facets: (await device.call('GET /api/users/facets', { query: {} })).departments.filter(
        ({ value }) => value === academic.department,
      ),
      years: (await device.call('GET /api/users/years', { query })).years,
      search: [found.count, misspelled.count],
      credits: photos.items.filter(({ by }) => by?.id === uid).length,
      profile: profile.statusCode,
    };
  }
  const messages = await member.device.ask('GET /api/users/{id}/contact', { params: { id: uid } });
  const { rows } = await archive.pool.query(
    'select audience, listed_at::text from listings where account_id = $1 order by audience',
    [uid],
  );
  return { ...traces, messages: messages.statusCode, listings: rows };
}

describe('withdrawing a confirmation', () => {
  const gone = {
    list: -1,
    faces: -1,
    count: 0,
    facets: [],
    years: [],
    search: [0, 0],
    credits: 0,
    profile: 404,
  };

  test('removes the person from every list, count, search and credit, and confirming again restores their place', async () => {
    const cleo = await archive.createMember({ lastName: 'Cleopatric', department: 'Egyptology', yearGraduated: 2001 });
    await confirmMember(archive, cleo);
    const { thumb, src } = await cleo.device.call('POST /api/gallery/photos', {
      body: { title: 'Nile', album: 'Campus', audience: 'everyone', image: await smallPicture() },
    });
    const { imgURL } = await member.device.call('GET /api/users/{id}', { params: { id: cleo.uid }, query: {} });
    // Someone who joined later comes first in the list of the newest faces.
    const later = await archive.createMember({ department: 'Botany' });
    await confirmMember(archive, later);
    // The list of the newest faces starts after a day.
    await archive.advanceTime('2 days');
    await cleo.device.call('POST /api/identity/sign-in', { body: { email: cleo.email, password: cleo.password } });
    const before = await findTraces(cleo);
    expect(before).toMatchObject({ member: { faces: 1, count: 1, search: [1, 1], credits: 1, profile: 200 } });

    // Nothing is visible of a withdrawal that does not commit.
    const { db } = archive.context;
    const failing = db.transaction().execute(async (tx) => {
      await setMembershipStatus(tx, cleo.uid, 'disputed');
      throw new Error('Rolled back');
    });
    await expect(failing).rejects.toThrow('Rolled back');
    archive.context.listCache.clear();
    expect(await findTraces(cleo)).toEqual(before);

    await cleo.device.call('DELETE /api/membership/evidence');
    expect(await findTraces(cleo)).toEqual({ guest: gone, member: gone, messages: 404, listings: [] });
    await archive.runJobs();
    for (const url of [imgURL ?? '', thumb, src])
      expect([url, (await cleo.device.fetch('GET', url)).statusCode]).toEqual([url, 404]);

    await confirmMember(archive, cleo);
    expect(await findTraces(cleo)).toEqual(before);
    const again = await member.device.call('GET /api/users/{id}', { params: { id: cleo.uid }, query: {} });
    expect((await archive.openDevice().fetch('GET', again.imgURL ?? '')).statusCode).toBe(200);
  });

  test('stops a message that is already queued, in both directions', async () => {
    const [cleo, dan] = [await archive.createMember(), await archive.createMember()];
    for (const person of [cleo, dan]) await confirmMember(archive, person);
    await archive.runJobs();
    const write = (from: Member, to: Member) =>
      from.device.call('POST /api/users/{id}/messages', {
        params: { id: to.uid },
        body: { text: 'Mingled greetings', shareEmail: false },
      });
    await write(cleo, dan);
    await write(dan, cleo);
    await archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, cleo.uid, 'unconfirmed'));
    await archive.runJobs();
    for (const { email } of [cleo, dan])
      expect(archive.inbox.to(email).filter(({ text }) => text.includes('Mingled greetings'))).toEqual([]);
  });
});

describe('the digest of a department', () => {
  const digestsOf = async ({ uid }: Member) => {
    const { rows } = await archive.pool.query<{ count: number }>(
      `select count from notifications where account_id = $1 and kind = 'joined' and detail = 'Digestology'`,
      [uid],
    );
    return rows.reduce((sum, { count }) => sum + count, 0);
  };

  test('counts people when they are confirmed, once, and is for members only', async () => {
    const [old, waiting] = [
      await archive.createMember({ department: 'Digestology' }),
      await archive.createMember({ department: 'Digestology' }),
    ];
    await confirmMember(archive, old);
    await archive.advanceTime('11 minutes');
    await archive.runJobs();
    expect([await digestsOf(old), await digestsOf(waiting)]).toEqual([0, 0]);
    const person = await archive.createMember({ department: 'Digestology' });
    await archive.advanceTime('11 minutes');
    await archive.runJobs();
    expect(await digestsOf(old)).toBe(0);
    const set = (status: 'confirmed' | 'unconfirmed') =>
      archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, person.uid, status));
    await set('confirmed');
    await archive.advanceTime('11 minutes');
    await archive.runJobs();
    expect([await digestsOf(old), await digestsOf(waiting), await digestsOf(person)]).toEqual([1, 0, 0]);
    for (const status of ['unconfirmed', 'confirmed'] as const) await set(status);
    await archive.advanceTime('11 minutes');
    await archive.runJobs();
    expect(await digestsOf(old)).toBe(1);
  });

  test('leaves out people, photos and readers whose membership is disputed before it is created', async () => {
    const department = 'Withdrawalogy';
    const [reader, lost, person] = [
      await archive.createMember({ department }),
      await archive.createMember({ department }),
      await archive.createMember({ department }),
    ];
    for (const one of [reader, lost, person]) await confirmMember(archive, one);
    await person.device.call('POST /api/gallery/photos', {
      body: { title: 'Gate', album: 'Campus', audience: 'everyone', image: await smallPicture() },
    });
    for (const { uid } of [lost, person])
      await archive.context.db.transaction().execute((tx) => setMembershipStatus(tx, uid, 'disputed'));
    await confirmMember(archive, await archive.createMember({ department }));
    await archive.advanceTime('11 minutes');
    await archive.runJobs();
    const { rows } = await archive.pool.query(
      'select account_id, kind, count from notifications where detail = $1 and account_id = any($2)',
      [department, [reader.uid, lost.uid, person.uid]],
    );
    expect(rows).toEqual([{ account_id: reader.uid, kind: 'joined', count: 1 }]);
  });
});

const ownPages: readonly string[] = [
  '/onboarding',
  '/settings',
  '/account',
  '/myprofile',
  '/notification',
  '/notifications',
  '/messages',
  '/send-verification-email',
  '/confirm',
  '/vouch/unknown',
];
const pagesForSignedOut: readonly string[] = ['/login', '/signup', '/reset-password'];

test('the page of a printed code is the same for used, expired and unknown codes, and takes the same statements', async () => {
  const [used, expired, open] = [
    await printCode(archive, await addEntry(archive)),
    await printCode(archive, await addEntry(archive)),
    await printCode(archive, await addEntry(archive)),
  ];
  await archive.pool.query('update membership_codes set used_at = now() where code_hash = $1', [
    await archive.context.membershipCodes.hash(used),
  ]);
  await archive.pool.query('update membership_codes set expires_at = now() where code_hash = $1', [
    await archive.context.membershipCodes.hash(expired),
  ]);
  for (const { device } of [guest(), reader]) {
    // Renews the session if that is due.
    await device.call('GET /api/identity/session');
    const seen = [];
    for (const code of [used, expired, open, '012345678900']) {
      const statements = recordStatements();
      const { statusCode, body } = await device.fetch('GET', `/join/${code}`);
      const shown = [code, groupMembershipCode(code)];
      seen.push({
        statusCode,
        body: shown.reduce((text, one) => text.replaceAll(one, '…'), body),
        statements: statements(),
      });
    }
    for (const one of seen) expect(one).toEqual({ ...seen[0], statusCode: 200 });
  }
});

test('every page shows an unconfirmed account what it shows a guest, and no one an unconfirmed person', async () => {
  const places = pagePaths.flatMap((path) => {
    // Pages of staff do not exist for either of them; guests are asked to sign in.
    if (path.includes('*') || path.startsWith('/staff')) return [];
    if (path === '/user/:id') return [ada, ghost, member].map(({ uid }) => `/user/${uid}`);
    if (path === '/class/:department/:year')
      return [ada, ghost, member].map(({ document: { academic } }) => `/class/${academic.department}/2011`);
    if (path === '/search') return [ada, ghost, member].map(({ document }) => `/search?q=${document.name.last}`);
    if (path === '/') return ['/', '/?department=all', '/?department=all&view=list', '/?department=adagronk%20studies'];
    return [path.replaceAll(/:\w+/gu, 'unknown')];
  });
  expect(places.length).toBeGreaterThan(25);
  for (const place of places) {
    const [asVisitor, asReader, asMember] = await Promise.all(
      [guest(), reader, member].map(({ device }) => device.fetch('GET', place)),
    );
    for (const response of [asVisitor, asReader])
      expectNone([...wordsOf('ada'), ...wordsOf('ghost')], place, response?.body ?? '');
    expectNone(wordsOf('ghost'), place, asMember?.body ?? '');
    for (const response of [asVisitor, asReader, asMember]) expect(response?.statusCode, place).toBeLessThan(500);
    if (![...ownPages, ...pagesForSignedOut].includes(place.split('?')[0] ?? ''))
      expect([place, asReader?.statusCode], 'status').toEqual([place, asVisitor?.statusCode]);
  }
});

test('a link from another site changes nothing, not even with the fields of a form', async () => {
  const code = await printCode(archive, await addEntry(archive));
  const fields = `intent=code&code=${code}&answer=yes&matricNumber=X/1&dob=1990-01-02`;
  const fill = (path: string) => path.replaceAll(':code', code).replaceAll(/:\w+|\{\w+\}/gu, ada.uid);
  const paths = [
    ...pagePaths.flatMap((path) => (path.includes('*') ? [] : [fill(path), `${fill(path)}?${fields}`])),
    // The response of an event stream does not end.
    ...Object.keys(endpoints).flatMap((name) => (/^GET (?!.*stream$)/u.test(name) ? [fill(name.slice(4))] : [])),
  ];
  for (const { device } of [reader, member]) {
    // Renews the session if that is due.
    await device.call('GET /api/identity/session');
    for (const path of paths) {
      const statements = recordStatements();
      await device.fetch('GET', path, undefined, { 'sec-fetch-site': 'cross-site' });
      const writes = statements().filter((text) =>
        /(?<!for |no key )\b(?:insert into|update|delete from)\b/iu.test(text),
      );
      // Reading is limited, so it is counted.
      expect([path, writes.filter((text) => !/insert into "?(?:long_)?throttles/u.test(text))]).toEqual([path, []]);
    }
  }
});

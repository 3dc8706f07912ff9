import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { PictureData } from '#contract/fields.ts';
import { ProfileDocument } from '#contract/profile.ts';
import { termsVersion } from '#contract/terms.ts';
import { linkEntry } from '#server/domain/roster/links.ts';
import { type Member, type TestArchive, type Visitor, openArchive, smallPicture } from '#server/testing/archive.ts';
import { confirmMember } from '#server/testing/membership.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const download = ({ device, uid }: Visitor, whose = uid) =>
  device.ask('GET /api/users/{id}/export', { params: { id: whose } });

async function unpacked(visitor: Visitor) {
  const files = unzipSync((await download(visitor)).rawPayload);
  const text = (path: string) => strFromU8(files[path] ?? new Uint8Array());
  return {
    paths: Object.keys(files).toSorted(),
    files,
    text,
    json: (path: string) => JSON.parse(text(path)) as Record<string, unknown>,
  };
}

const addPhoto = async ({ device }: Member, title: string, more: { place?: string; takenOn?: string } = {}) =>
  device.call('POST /api/gallery/photos', {
    body: { title, album: 'Convocation', audience: 'members', image: await smallPicture(), ...more },
  });

describe('GET /api/users/{id}/export', () => {
  test('returns a zip file as an attachment that is not cached', { tags: ['asvs-5.4.1', 'asvs-5.4.2'] }, async () => {
    const member = await archive.createMember();
    const { statusCode, headers, rawPayload } = await member.device.fetch(
      'GET',
      `/api/users/${member.uid}/export`,
      undefined,
      { 'accept-encoding': 'gzip, br' },
    );
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/zip',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-disposition']).toMatch(/^attachment; filename="my-data-\d{4}-\d\d-\d\d\.zip"$/u);
    // A zip file is already compressed.
    expect(headers).not.toHaveProperty('content-encoding');
    expect(rawPayload.subarray(0, 4).toString('latin1')).toBe('PK\u0003\u0004');
    const head = await member.device.fetch('HEAD', `/api/users/${member.uid}/export`);
    expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0]);
  });

  test('includes the profile in the format in which it can be saved again', { tags: ['spec-3.12'] }, async () => {
    const member = await archive.createMember({}, {});
    const document = { ...member.document, name: { ...member.document.name, other: 'Bọ́lá, Bee' } };
    await member.device.call('PUT /api/users/{id}', {
      params: { id: member.uid },
      body: { ...document, visibility: { bio: 'me', dob: 'me' } },
    });
    const { archive: own, ...profile } = (await unpacked(member)).json('profile.json');
    expect(Object.keys(profile).toSorted()).toEqual([
      'academic',
      'bio',
      'contactNumber',
      'dob',
      'fullBio',
      'gender',
      'homeAddress',
      'imgURL',
      'interest',
      'name',
      'social',
      'title',
    ]);
    expect(profile).toMatchObject({
      name: { first: document.name.first, middle: document.name.middle, last: document.name.last },
      dob: document.dob,
      academic: document.academic,
      fullBio: document.fullBio,
      social: document.social,
    });
    expect(profile['name']).not.toHaveProperty('other');
    expect(PictureData.safeParse(profile['imgURL']).success).toBe(true);
    expect(own).toMatchObject({
      otherNames: 'Bọ́lá, Bee',
      visibility: { bio: 'me', dob: 'me', email: 'members' },
      isHidden: false,
    });
    const body = { ...ProfileDocument.parse(profile), version: 'any' as const };
    await member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body });
  });

  test('includes work, place and help offers, also those to confirm, and the answer for the tracer report', async () => {
    const member = await archive.createMember();
    const work = { role: 'Engineer', employer: 'GTBank', field: 'finance', from: 2015, to: null } as const;
    await member.device.call('PUT /api/users/{id}/career', {
      params: { id: member.uid },
      body: { positions: [work], city: 'Lagos', cityId: null, country: 'NG', helps: ['talk'], version: 'any' },
    });
    await archive.pool.query(`insert into tracer_answers values ($1, 'working', true, '2026-03-04')`, [member.uid]);
    const read = async () => {
      const { json, text } = await unpacked(member);
      return { ...(json('profile.json')['archive'] as { career: object }), vcard: text('profile.vcf') };
    };
    const { career, vcard } = await read();
    expect(career).toEqual({
      positions: [{ ...work, confirmedOn: expect.stringMatching(/^\d{4}-/u) as string }],
      city: 'Lagos',
      country: 'NG',
      isPlaceConfirmed: true,
      helps: ['talk'],
      tracer: { activity: 'working', inField: true, answeredOn: '2026-03-04' },
    });
    expect(vcard).toContain('TITLE;TYPE=work:Engineer\r\n');
    await archive.pool.query(
      `update profiles set positions = jsonb_set(positions, '{0,confirmedOn}', 'null') where account_id = $1`,
      [member.uid],
    );
    const imported = await read();
    expect(imported.career).toMatchObject({ positions: [{ ...work, confirmedOn: null }] });
    expect(imported.vcard).not.toContain('Engineer');
  });

  test('includes the profile picture, and the user’s photos with their fields', async () => {
    const [member, other] = [await archive.createMember(), await archive.createMember()];
    await addPhoto(member, 'The hall', { place: 'Ìjànìkín', takenOn: '2015-03-12' });
    await addPhoto(member, 'The gate');
    await addPhoto(other, 'Not mine');
    const { paths, files, json, text } = await unpacked(member);
    expect(paths).toEqual([
      'README.txt',
      'account.json',
      'photos.json',
      'pictures/photo-001.webp',
      'pictures/photo-002.webp',
      'pictures/portrait.webp',
      'profile.json',
      'profile.vcf',
    ]);
    expect(json('photos.json')).toMatchObject([
      {
        file: 'pictures/photo-001.webp',
        title: 'The hall',
        album: 'Convocation',
        place: 'Ìjànìkín',
        takenOn: '2015-03-12',
        audience: 'members',
      },
      { file: 'pictures/photo-002.webp', title: 'The gate', place: null, takenOn: null },
    ]);
    for (const path of paths.filter((name) => name.endsWith('.webp')))
      expect(strFromU8(files[path]?.subarray(8, 12) ?? new Uint8Array(), true), path).toBe('WEBP');
    for (const path of paths.filter((name) => !name.startsWith('pictures/') && name !== 'README.txt'))
      expect(text('README.txt'), path).toContain(path);
  });

  test('includes the data of the account, but no password hash, token or code', async () => {
    const member = await archive.createMember();
    await member.device.call('PUT /api/notifications/choices', { body: { joined: false, 'photos-added': true } });
    const { json, files } = await unpacked(member);
    const account = json('account.json');
    expect(account).toMatchObject({
      uid: member.uid,
      email: member.email,
      emailVerified: true,
      acceptedTerms: { version: termsVersion },
      signedIn: [{ current: true, userAgent: 'Test browser' }],
      notificationChoices: { joined: false, 'photos-added': true },
      notifications: [{ kind: 'welcome' }, { kind: 'email-verified' }],
    });
    const { rows } = await archive.pool.query<{ secret: string }>(
      `select password_hash as secret from accounts where id = $1
       union all select encode(token_hash, form) from sessions, unnest(array['hex', 'base64']) as form where account_id = $1
       union all select encode(token_hash, form) from known_devices, unnest(array['hex', 'base64']) as form where account_id = $1
       union all select encode(code_hash, form) from action_codes, unnest(array['hex', 'base64']) as form where account_id = $1`,
      [member.uid],
    );
    const secrets = [...rows.map(({ secret }) => secret), ...member.device.cookies.values()];
    expect(secrets.length).toBeGreaterThan(6);
    for (const content of Object.values(files))
      for (const secret of secrets) expect(strFromU8(content, true)).not.toContain(secret);
  });

  test('includes claims, evidence, vouches and the roster entry of a confirmed member', async () => {
    const [member, friend] = [await archive.createMember(), await archive.createMember()];
    expect((await unpacked(member)).paths).not.toContain('membership.json');
    const entries = await archive.pool.query<{ id: number }>(
      `insert into roster_entries (matric_key, matric_number, last_name, first_name, birth_date, words, first_import, last_import)
       select key, key, 'Obi', name, '1990-02-03', '{}', 1, 1
       from (values ('CSC1', 'Ada'), ('CSC2', 'Ben')) as e (key, name) returning id`,
    );
    const [own = 0, others = 0] = entries.rows.map(({ id }) => id);
    await linkEntry(archive.context.db, own, member.uid);
    await linkEntry(archive.context.db, others, friend.uid);
    await confirmMember(archive, member);
    for (const [text, ...values] of [
      [`insert into claims (account_id, typed, state) values ($1, '{"note": "Formerly Eze"}', 'confirmed')`],
      [
        `insert into evidence (account_id, entry_id, kind, assurance, detail) values ($1, $2, 'printed-code', 'strong', 'Slip')`,
        own,
      ],
      [
        `insert into evidence (account_id, entry_id, kind, assurance, detail) values ($1, $2, 'roster-email', 'strong', '')`,
        others,
      ],
      [`insert into disputes (entry_id, holder_id, claimant_id, text) values ($3, $2, $1, '')`, friend.uid, others],
      [
        `insert into disputes (entry_id, holder_id, claimant_id, text) values ($3, $2, $1, 'That is me')`,
        friend.uid,
        others,
      ],
      [`insert into vouches values ($1, $2, 'yes'), ($2, $1, 'no')`, friend.uid],
      [
        `insert into claim_attempts (account_id, kind, typed) values ($1, 'mailed-code', '{"matricNumber": "CSC9"}'), ($2, 'claim', '{}')`,
        friend.uid,
      ],
    ] as const)
      await archive.pool.query(text, [member.uid, ...values]);

    const { json, text } = await unpacked(member);
    expect(json('membership.json')).toMatchObject({
      status: 'confirmed',
      rosterEntry: { matricNumber: 'CSC1', firstName: 'Ada', birthDate: '1990-02-03' },
      // The code of the other entry would reveal that this entry is on the roster.
      evidence: [{ kind: 'staff-review' }, { kind: 'printed-code', detail: 'Slip' }],
      claims: [{ state: 'confirmed', typed: { note: 'Formerly Eze' } }],
      attempts: [{ kind: 'mailed-code', typed: { matricNumber: 'CSC9' } }],
      disputes: [{ text: 'That is me' }],
      vouchesGiven: [{ person: friend.uid, answer: 'no' }],
      vouchesReceived: [{ createdAt: expect.stringMatching(/Z$/u) as string }],
    });
    expect(text('membership.json')).not.toContain('CSC2');
    expect(text('README.txt')).toContain('membership.json');
    const theirs = await unpacked(friend);
    // A voucher who answered with no stays unknown, and so does the dispute.
    expect(theirs.json('membership.json')).toMatchObject({ vouchesReceived: [], disputes: [] });
    expect(theirs.text('membership.json')).not.toContain('That is me');
  });

  test('works before the user completes the onboarding', async () => {
    const { paths, json } = await unpacked(await archive.signUp());
    expect(paths).toEqual(['README.txt', 'account.json']);
    expect(json('account.json')).toMatchObject({ emailVerified: false, displayName: null });
  });

  test('omits a picture whose file is missing', async () => {
    const member = await archive.createMember();
    await addPhoto(member, 'One');
    await addPhoto(member, 'Two');
    const { rows } = await archive.pool.query<{ picture: string }>(
      `select picture from photos where account_id = $1 and title = 'One'`,
      [member.uid],
    );
    await archive.context.media.moveToTrash(rows[0]?.picture ?? '');
    const { paths } = await unpacked(member);
    expect(paths).not.toContain('pictures/photo-001.webp');
    expect(paths).toContain('pictures/photo-002.webp');
  });
});

describe('the access to GET /api/users/{id}/export', () => {
  test('is limited to the owner of the account, and to ten times an hour', async () => {
    const [member, other] = [await archive.createMember(), await archive.createMember()];
    expect((await download(other, member.uid)).json()).toMatchObject({ code: 'permission-denied' });
    const guest = await archive.openDevice().code('GET /api/users/{id}/export', { params: { id: member.uid } });
    expect(guest).toBe('auth/unauthenticated');
    for (let time = 0; time < 10; time++) expect((await download(member)).statusCode).toBe(200);
    expect((await download(member)).json()).toMatchObject({ code: 'auth/too-many-requests' });
    expect((await download(other)).statusCode).toBe(200);
    await archive.advanceTime('1 hour');
    expect((await download(member)).statusCode).toBe(200);
  });

  test('is recorded in the log as an audit event that does not identify the user', async () => {
    const member = await archive.createMember();
    const before = archive.logged.length;
    await download(member);
    const lines = archive.logged.slice(before).filter((line) => line.includes('data downloaded'));
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ audit: true, reference: expect.stringMatching(/^[\w-]{10}$/u) });
    expect(lines[0]).not.toContain(member.uid);
  });
});

test('the OpenAPI description declares the data download as application/zip', async () => {
  const { paths } = (await archive.openDevice().fetch('GET', '/api/openapi.json')).json<{
    paths: Record<string, object>;
  }>();
  expect(paths['/api/users/{id}/export']).toMatchObject({
    get: { responses: { 200: { content: { 'application/zip': {} } } } },
  });
});

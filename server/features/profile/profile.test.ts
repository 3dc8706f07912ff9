import { mkdirSync, readdirSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { getLatestDob } from '#contract/age.ts';
import type { CallInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { formFields, type ProfileDocument, toDocument, toForm } from '#contract/profile.ts';
import { type ProfileField, profileFields } from '#contract/visibility.ts';
import { type Member, openArchive, smallPicture, type TestArchive } from '#server/testing/archive.ts';
import type { Device } from '#server/testing/device.ts';
import { recordTransaction } from '#server/testing/statements.ts';
import { createStaff, makeStaff } from '#server/testing/staff.ts';
import { removePicturesJob, updateMinorsJob } from './jobs.ts';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

const read = (device: Device, id: string) => device.call('GET /api/users/{id}', { params: { id }, query: {} });

async function everythingFor(device: Device, member: Member): Promise<string> {
  const { department, matricNumber } = member.document.academic;
  const searches = [Object.values(member.document.name).join(' '), department, matricNumber, member.email];
  const texts = await Promise.all(
    [
      `/api/users/${member.uid}`,
      `/api/users/${member.uid}?as=me`,
      `/api/users?department=${encodeURIComponent(department)}&limit=96`,
      '/api/users?limit=96',
      '/api/users/welcome',
      '/api/users/facets',
      '/api/users/count',
      '/api/users/years',
      ...searches.map((q) => `/api/search?q=${encodeURIComponent(q)}`),
    ].map(async (url) => {
      const { statusCode, body } = await device.fetch('GET', url);
      // Other errors would hide all fields. 404 is a normal response for a hidden person.
      expect([200, 404], url).toContain(statusCode);
      return body;
    }),
  );
  return texts.join('\n');
}

describe('PUT /api/users/{id}', () => {
  test(
    'stores the profile in the specified format, and sets the display name to “last name first name”',
    {
      tags: [
        'spec-1.6',
        'spec-3.1',
        'spec-3.11',
        'spec-3.12',
        'spec-3.13',
        'spec-3.14',
        'spec-3.17',
        'spec-3.18',
        'spec-3.19',
        'spec-3.20',
        'spec-3.31',
        'spec-4.4',
        'spec-7.15',
        'spec-7.18',
      ],
    },
    async () => {
      const member = await archive.createMember({ firstName: 'Adé', middleName: 'Chidi', lastName: 'Ọláwálé' });
      const { user } = await member.device.call('GET /api/identity/session');
      expect(user?.displayName).toBe('Ọláwálé Adé');
      const profile = await read(member.device, member.uid);
      const { imgURL, version: _, ...rest } = member.document;
      expect(imgURL).toMatch(/^data:image\/jpeg;base64,/u);
      expect(profile).toEqual({
        ...rest,
        id: member.uid,
        email: member.email,
        imgURL: expect.stringMatching(/^\/media\/public-[\w-]{22}\/384\.webp$/u) as string,
        schoolLabel: 'OUE',
        label: 'Alum',
      });
    },
  );

  test.each([
    [['name', 'first'], 'Verify at evil.com'],
    [['name', 'middle'], 'www.evil'],
    [['name', 'last'], 'ada@evil.example'],
    [['name', 'other'], 'ｅｖｉｌ．ｃｏｍ'],
    [['academic', 'department'], 'https://evil.example'],
    [['interest'], 'bit.ly/3xYz'],
  ] as const)('refuses a web or email address in the field %j', async (path, text) => {
    const member = await archive.createMember();
    const [head, field] = path;
    const body = {
      ...member.document,
      [head]: field === undefined ? text : { ...(member.document[head] as object), [field]: text },
    };
    const call = { params: { id: member.uid }, body };
    expect(await member.device.problem('PUT /api/users/{id}', call)).toMatchObject({
      code: 'validation-failed',
      errors: [{ pointer: `/${path.join('/')}`, message: 'Web and email addresses are not allowed here' }],
    });
  });

  test('overwrites all fields of the profile, or only one', { tags: ['spec-7.12', 'spec-7.15'] }, async () => {
    const member = await archive.createMember();
    const { imgURL } = await read(member.device, member.uid);
    const changed = {
      name: { first: 'New', middle: 'Er', last: 'Name' },
      title: 'mrs.',
      dob: '1984-02-29',
      gender: 'female',
      homeAddress: '1 New Street',
      contactNumber: '+234 809 999 0000',
      academic: {
        matricNumber: '19999999999Z',
        college: 'COHUM',
        department: 'Physics',
        program: 'B.Ed',
        year: { admitted: 1991, graduated: 1995 },
      },
      interest: 'New interest',
      bio: 'New bio',
      fullBio: 'New full bio',
      social: { x: 'newx', facebook: 'new.facebook', linkedin: 'new-linkedin' },
    };
    const body = { ...member.document, ...changed, imgURL };
    await member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body });
    expect(await read(member.device, member.uid)).toEqual({
      ...changed,
      imgURL,
      id: member.uid,
      email: member.email,
      schoolLabel: 'OUE',
      label: 'Alum',
    });
    const { user } = await member.device.call('GET /api/identity/session');
    expect(user).toMatchObject({ displayName: 'Name New', department: 'Physics' });

    // Saves each field alone. In reverse order, the years stay in order.
    const { imgURL: _, ...before } = toForm(member.document);
    const form = toForm(changed);
    for (const [field, value] of Object.entries(before).toReversed()) {
      Object.assign(form, { [field]: value });
      const { imgURL: __, ...document } = toDocument(form);
      const params = { id: member.uid };
      await member.device.call('PUT /api/users/{id}', { params, body: { ...body, ...document } });
      expect(await read(member.device, member.uid), field).toMatchObject(document);
    }
  });

  test.each([
    [3, 'a text that lists do not show', { bio: 'Three statements' }],
    [3, 'a choice that changes the listings', { visibility: { picture: 'me' } }],
    [3, 'a middle name with new search words', { name: { middle: 'Tristatement' } }],
    [4, 'another name, which ends vouches and claims', { name: { first: 'Fourstatement' } }],
    [4, 'a choice that removes one listing and changes the other', { visibility: { name: 'members' } }],
  ] as const)('takes %i statements in one transaction to save %s', async (count, _, change) => {
    const member = await archive.createMember();
    const { imgURL } = await read(member.device, member.uid);
    const name = { ...member.document.name, ...('name' in change && change.name) };
    const body = { ...member.document, imgURL, ...change, name };
    const statements = await recordTransaction(() =>
      member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body }),
    );
    expect(statements.at(-1)).toContain('insert into profiles');
    expect(statements).toHaveLength(count);
  });

  for (const [field, values, tags] of [
    ['firstName', ['', '   '], ['spec-5.15']],
    ['middleName', [''], ['spec-5.15']],
    ['lastName', ['\u0000'], ['spec-5.15']],
    ['title', ['dr.', ''], ['spec-3.3', 'spec-5.16']],
    ['contactNumber', [''], ['spec-5.17']],
    ['dob', ['1999-02-30', '30/01/1999', ''], ['spec-3.4', 'spec-3.15', 'spec-5.17', 'asvs-2.2.1', 'asvs-2.2.2']],
    ['gender', ['other'], ['spec-3.5', 'spec-5.18']],
    ['homeAddress', ['\n'], ['spec-5.17']],
    ['matricNumber', [''], ['spec-5.19']],
    ['college', ['COSMAS'], ['spec-5.20']],
    ['department', [''], ['spec-5.19']],
    ['program', ['B.A'], ['spec-5.21']],
    ['yearAdmitted', [1989, new Date().getUTCFullYear() + 1], ['spec-5.22']],
    ['yearGraduated', [1989, 2000.5], ['spec-5.22', 'asvs-15.3.5']],
    ['interest', [''], ['spec-5.23']],
    ['bio', [''], ['spec-5.23']],
    ['fullBio', ['', 'x'.repeat(401)], ['spec-5.23', 'spec-5.25', 'spec-5.26']],
    ['xHandle', ['@'], ['spec-5.24']],
    ['facebookName', [''], ['spec-5.24']],
    ['linkedinName', ['https://linkedin.com/in/'], ['spec-5.24']],
    ['imgURL', ['data:text/html;base64,PGI+', 'https://evil.example/p.png'], ['spec-5.28']],
  ] as [string, (string | number)[], string[]][])
    test.each(values)(`rejects the value %j for ${field}, with a message for this field`, { tags }, async (value) => {
      const member = await archive.signUpVerified();
      const good = { ...toForm(await documentOf()), [field]: value };
      const response = await member.device.ask('PUT /api/users/{id}', {
        params: { id: member.uid },
        body: toDocument(good as never),
      });
      expect(response.statusCode).toBe(422);
      const { errors } = response.json<{ errors: { pointer: string; message: string }[] }>();
      expect(errors).toHaveLength(1);
      expect(errors[0]?.message).toBe('Field cannot be empty');
      expect((await member.device.call('GET /api/identity/session')).user?.displayName).toBeNull();
    });

  test(
    'rejects a year of graduation before the year of admission, but allows the same year',
    { tags: ['asvs-2.2.3'] },
    async () => {
      const member = await archive.signUpVerified();
      const years = { yearAdmitted: 2015, yearGraduated: 2014 };
      const message = 'The year of graduation cannot be before the year of admission';
      for (const wrong of [{}, { bio: '' }]) {
        const form = { ...toForm(await documentOf()), ...years, ...wrong };
        const response = await member.device.ask('PUT /api/users/{id}', {
          params: { id: member.uid },
          body: toDocument(form as never),
        });
        expect(response.statusCode).toBe(422);
        expect(response.json<{ errors: unknown[] }>().errors).toContainEqual({
          pointer: '/academic/year/graduated',
          message,
        });
      }
      await archive.createMember({ yearAdmitted: 2015, yearGraduated: 2015 });
    },
  );

  test(
    'accepts a biography of 400 characters, and years from 1990 to the current year',
    { tags: ['spec-3.8', 'spec-5.25'] },
    async () => {
      const year = new Date().getUTCFullYear();
      await archive.createMember({ fullBio: '🌴'.repeat(400), yearAdmitted: 1990, yearGraduated: year });
    },
  );

  test(
    'extracts handles from pasted URLs, corrects department names and removes control characters',
    { tags: ['spec-3.21'] },
    async () => {
      const member = await archive.createMember({
        xHandle: 'https://x.com/ada_obi?lang=en',
        facebookName: 'www.facebook.com/ada.obi',
        linkedinName: 'https://ng.linkedin.com/in/ada-obi/',
        department: '  computer   SCIENCE ',
        firstName: 'Ada\u202Egnp',
      });
      const profile = await read(member.device, member.uid);
      expect(profile.social).toEqual({ x: 'ada_obi', facebook: 'ada.obi', linkedin: 'ada-obi' });
      expect(profile.academic.department).toBe('Computer Science');
      expect(profile.name.first).toBe('Adagnp');
    },
  );

  test(
    'allows only the owner, with a verified address',
    { tags: ['spec-3.1', 'spec-6.9', 'asvs-2.3.1', 'asvs-8.2.1'] },
    async () => {
      const member = await archive.createMember();
      const other = await archive.createMember();
      const unverified = await archive.signUp();
      const put = (device: Device, id: string) =>
        device.code('PUT /api/users/{id}', { params: { id }, body: member.document });
      expect(await put(other.device, member.uid)).toBe('permission-denied');
      expect(await put(unverified.device, unverified.uid)).toBe('auth/unverified-email');
      expect(await put(archive.openDevice(), member.uid)).toBe('auth/unauthenticated');
      expect(await other.device.code('GET /api/users/{id}/document', { params: { id: member.uid } })).toBe(
        'permission-denied',
      );
    },
  );

  test('overwrites an existing profile only with its current version', async () => {
    const { device, uid, document } = await archive.createMember();
    const params = { id: uid };
    const loaded = await device.call('GET /api/users/{id}/document', { params });
    const { imgURL } = loaded.profile;
    const save = (changes: Partial<ProfileDocument>) =>
      device.ask('PUT /api/users/{id}', { params, body: { ...document, imgURL, ...changes } });
    const first = await save({ bio: 'First tab', version: loaded.version });
    expect(first.json()).toMatchObject({ bio: 'First tab', version: loaded.version + 1 });

    // An outdated version, no version, and a version that does not exist yet.
    for (const version of [loaded.version, undefined, loaded.version + 2]) {
      const refused = await save({ bio: 'Second tab', imgURL: await smallPicture('#224466'), version });
      expect(refused.json()).toMatchObject({ status: 409, code: 'profile-changed' });
    }
    const { profile, version } = await device.call('GET /api/users/{id}/document', { params });
    expect([profile.bio, profile.imgURL, version]).toEqual(['First tab', imgURL, loaded.version + 1]);
    expect((await save({ bio: 'Second tab', version })).statusCode).toBe(200);
    // A change of the privacy settings also increments the version.
    await device.call('PUT /api/users/{id}/privacy', { params, body: { isHidden: true, version: version + 1 } });
    expect((await save({ version: version + 1 })).statusCode).toBe(409);
  });

  test('accepts only one of two concurrent saves of the same version', async () => {
    const { device, uid, document } = await archive.createMember();
    const params = { id: uid };
    const { profile, version } = await device.call('GET /api/users/{id}/document', { params });
    const answers = await Promise.all(
      ['One', 'Two'].map((bio) =>
        device.ask('PUT /api/users/{id}', { params, body: { ...document, imgURL: profile.imgURL, bio, version } }),
      ),
    );
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 409]));
    const winner = answers.find(({ statusCode }) => statusCode === 200);
    expect((await read(device, uid)).bio).toBe(winner?.json<{ bio: string }>().bio);
  });

  test('does not overwrite an existing profile when the onboarding is submitted again', async () => {
    const { device, uid } = await archive.signUpVerified();
    const document = { ...(await documentOf()), imgURL: await smallPicture() };
    await device.call('PUT /api/users/{id}', { params: { id: uid }, body: document });
    const again = device.code('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, bio: 'Again' } });
    expect(await again).toBe('profile-changed');
    expect((await read(device, uid)).bio).toBe(document.bio);
  });

  test(
    'requires a picture for a new profile, and lets the owner remove it later',
    { tags: ['spec-5.27', 'asvs-2.1.2'] },
    async () => {
      const visitor = await archive.signUpVerified();
      const document = { ...(await documentOf()), imgURL: null };
      const save = (body: ProfileDocument) =>
        visitor.device.ask('PUT /api/users/{id}', { params: { id: visitor.uid }, body });
      expect((await save(document)).json()).toMatchObject({
        code: 'validation-failed',
        errors: [{ pointer: '/imgURL', message: 'Field cannot be empty' }],
      });
      await save({ ...document, imgURL: await smallPicture() });
      expect((await save({ ...document, version: 1 })).statusCode).toBe(200);
      expect((await read(visitor.device, visitor.uid)).imgURL).toBeNull();
    },
  );
});

describe('profile pictures', () => {
  const save = async (member: Member, imgURL: string) =>
    member.device.ask('PUT /api/users/{id}', { params: { id: member.uid }, body: { ...member.document, imgURL } });
  const asData = (bytes: Buffer, type = 'jpeg') => `data:image/${type};base64,${bytes.toString('base64')}`;

  test(
    'are stored as WebP at 96, 192 and 384 pixels and cached for a year',
    { tags: ['spec-1.16', 'spec-3.11', 'asvs-5.3.1'] },
    async () => {
      const member = await archive.createMember();
      const { imgURL } = await read(member.device, member.uid);
      for (const width of [96, 192, 384]) {
        const response = await archive.openDevice().fetch('GET', (imgURL ?? '').replace('384', String(width)));
        expect(response.headers).toMatchObject({
          'content-type': 'image/webp',
          'cache-control': 'public, max-age=31536000, immutable',
        });
        const { format, width: real, height } = await sharp(response.rawPayload).metadata();
        expect({ format, real, height }).toEqual({ format: 'webp', real: width, height: (width * 5) / 4 });
      }
    },
  );

  test('may be stored in shared caches only if everyone may see them', async () => {
    const member = await archive.createMember();
    const params = { id: member.uid };
    const privacy = (body: { visibility?: ProfileDocument['visibility']; isHidden?: boolean }) =>
      member.device.call('PUT /api/users/{id}/privacy', { params, body: { ...body, version: 'any' } });
    const cacheControl = async () => {
      const { imgURL } = await read(member.device, member.uid);
      return (await archive.openDevice().fetch('GET', imgURL ?? '')).headers['cache-control'];
    };
    const [forAll, forBrowsers] = ['public', 'private'].map((scope) => `${scope}, max-age=31536000, immutable`);
    expect(await cacheControl()).toBe(forAll);
    for (const visibility of [{ picture: 'members' }, { picture: 'everyone', name: 'members' }] as const) {
      await privacy({ visibility });
      expect(await cacheControl(), JSON.stringify(visibility)).toBe(forBrowsers);
      await save(member, await smallPicture('#335577'));
      expect(await cacheControl(), `a new picture, ${JSON.stringify(visibility)}`).toBe(forBrowsers);
    }
    await privacy({ visibility: { name: 'everyone' } });
    await save(member, await smallPicture('#775533'));
    expect(await cacheControl()).toBe(forAll);
    await privacy({ isHidden: true });
    expect(await cacheControl()).toBe(forBrowsers);
  });

  test('are rotated upright and stripped of metadata', { tags: ['spec-3.11', 'asvs-5.4.3'] }, async () => {
    const member = await archive.createMember();
    // The left half is red and the right half blue; rotated upright, red is on top. With GPS data.
    const sideways = await sharp({ create: { width: 200, height: 160, channels: 3, background: '#0000ff' } })
      .composite([
        { input: { create: { width: 100, height: 160, channels: 3, background: '#ff0000' } }, left: 0, top: 0 },
      ])
      .jpeg()
      .withExif({ IFD0: { Orientation: '6', Copyright: 'SECRET-OWNER' }, IFD3: { GPSLatitude: '7/1 9/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .toBuffer();
    expect((await save(member, asData(sideways))).statusCode).toBe(200);
    const { imgURL } = await read(member.device, member.uid);
    const stored = (await archive.openDevice().fetch('GET', imgURL ?? '')).rawPayload;
    const { exif, xmp, icc, iptc } = await sharp(stored).metadata();
    expect([exif, xmp, icc, iptc]).toEqual([undefined, undefined, undefined, undefined]);
    expect(stored.toString('latin1')).not.toContain('SECRET-OWNER');
    const { data } = await sharp(stored).raw().toBuffer({ resolveWithObject: true });
    const [red = 0, , blue = 0] = data;
    expect(red).toBeGreaterThan(200);
    expect(blue).toBeLessThan(80);
  });

  const small = () => sharp({ create: { width: 40, height: 50, channels: 3, background: '#123456' } });

  for (const [title, make, type, tags = []] of [
    ['plain text', async () => Buffer.from('not an image at all')],
    ['an empty file', async () => Buffer.from([0])],
    ['a truncated picture', async () => (await small().resize(400, 500).jpeg().toBuffer()).subarray(0, 300)],
    ['a PNG with only a signature', async () => Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'), 'png'],
    ['an SVG declared as PNG', async () => Buffer.from(svg), 'png', ['asvs-5.2.2']],
    ['an SVG', async () => Buffer.from(svg), 'svg+xml'],
    ['a GIF', async () => small().gif().toBuffer(), 'gif'],
    ['a GIF declared as JPEG', async () => small().gif().toBuffer()],
    ['an AVIF', async () => small().avif().toBuffer(), 'avif'],
    ['an AVIF declared as JPEG', async () => small().avif().toBuffer()],
    ['a TIFF declared as JPEG', async () => small().tiff().toBuffer()],
    ['a file of 50 KB with 20,000 by 20,000 pixels', async () => hugePng(20_000), 'png', ['asvs-5.2.3']],
  ] as [string, () => Promise<Buffer>, string?, string[]?][])
    test(`cannot be replaced by ${title}`, { tags }, async () => {
      const member = await archive.createMember();
      const before = (await read(member.device, member.uid)).imgURL;
      const names = readdirSync(archive.context.media.store.location);
      const response = await save(member, asData(await make(), type));
      const message = 'This file is not a supported picture. Choose a JPEG, PNG or WebP file.';
      expect(response.json()).toMatchObject({
        status: 422,
        code: 'not-an-image',
        detail: message,
        errors: [{ pointer: '/imgURL', message }],
      });
      expect((await read(member.device, member.uid)).imgURL).toBe(before);
      expect(readdirSync(archive.context.media.store.location)).toEqual(names);
    });

  test('are decoded as JPEG, PNG or WebP only, regardless of the content', { tags: ['asvs-1.3.4'] }, async () => {
    for (const bytes of [await small().gif().toBuffer(), await small().tiff().toBuffer(), Buffer.from(svg)])
      await expect(sharp(bytes).metadata()).rejects.toThrow('unsupported image format');
  });

  test('can be JPEG, PNG or WebP files as large as those of phone cameras', async () => {
    const member = await archive.createMember();
    const large = small().resize(3000, 4000);
    for (const [type, bytes] of [
      ['jpeg', await large.jpeg().toBuffer()],
      ['png', await small().png().toBuffer()],
      ['webp', await small().webp().toBuffer()],
    ] as const)
      expect((await save(member, asData(bytes, type))).statusCode, type).toBe(200);
  });

  const isThere = async (imgURL: string | null) =>
    (await archive.openDevice().fetch('GET', imgURL ?? '/media/none')).statusCode === 200;

  test('are deleted when replaced, even if two people uploaded the same file', async () => {
    const [one, two] = [await archive.createMember(), await archive.createMember()];
    const shared = await smallPicture('#abcdef');
    for (const member of [one, two]) await save(member, shared);
    const [first, second] = [await read(one.device, one.uid), await read(two.device, two.uid)];
    expect(first.imgURL).not.toBe(second.imgURL);
    await save(one, await smallPicture('#010101'));
    expect(await isThere(first.imgURL)).toBe(false);
    expect(await isThere(second.imgURL)).toBe(true);
    expect(readdirSync(archive.context.media.store.location).filter((name) => name.endsWith('.unfinished'))).toEqual(
      [],
    );
  });

  test('get a new URL when fewer people may see them', { tags: ['asvs-8.2.2'] }, async () => {
    const member = await archive.createMember();
    const choose = async (imgURL: string | null, visibility: ProfileDocument['visibility']) => {
      const body = { ...member.document, imgURL, visibility };
      return (await member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body })).imgURL;
    };
    let { imgURL } = await read(member.device, member.uid);
    // A hidden name hides the picture too.
    for (const narrower of [{ picture: 'members' }, { picture: 'me' }, { picture: 'everyone', name: 'me' }] as const) {
      const wide = await choose(imgURL, { picture: 'everyone', name: 'everyone' });
      expect(wide).toBe(imgURL);
      expect(await isThere(wide)).toBe(true);
      imgURL = await choose(wide, narrower);
      expect(imgURL).not.toBe(wide);
      expect(await isThere(wide)).toBe(false);
      expect(await isThere(imgURL)).toBe(true);
      expect(await choose(imgURL, {})).toBe(imgURL);
    }
  });

  test('are deleted when saving the profile fails', { tags: ['asvs-2.3.3'] }, async () => {
    const member = await archive.createMember();
    const before = await read(member.device, member.uid);
    const names = readdirSync(archive.context.media.store.location);
    const { imgURL: picture } = before;
    await archive.pool.query('alter table listings rename to listings_away');
    const failed = [
      await save(member, await smallPicture('#0a0b0c')),
      await member.device.ask('PUT /api/users/{id}', {
        params: { id: member.uid },
        body: { ...member.document, imgURL: picture, visibility: { picture: 'me' } },
      }),
    ];
    await archive.pool.query('alter table listings_away rename to listings');
    expect(failed.map(({ statusCode }) => statusCode)).toEqual([500, 500]);
    expect(readdirSync(archive.context.media.store.location)).toEqual(names);
    expect(await read(member.device, member.uid)).toEqual(before);
  });

  test('are refused with an internal error when the media folder is missing', async () => {
    const member = await archive.createMember();
    const folder = archive.context.media.store.location;
    renameSync(folder, `${folder}.away`);
    const response = await save(member, await smallPicture());
    renameSync(`${folder}.away`, folder);
    expect(response.json()).toMatchObject({ status: 500, code: 'internal' });
  });

  test('are deleted by the nightly job when they have been unused for a day', async () => {
    const member = await archive.createMember();
    const { imgURL } = await read(member.device, member.uid);
    const { media } = archive.context;
    const folder = media.store.location;
    const bytes = await small().jpeg().toBuffer();
    const [orphan, fresh] = [await media.storePortrait(bytes), await media.storePortrait(bytes)];
    mkdirSync(join(folder, 'cut-off.unfinished'));
    const shown = imgURL?.split('/')[2] ?? '';
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const name of [orphan, shown, 'cut-off.unfinished']) utimesSync(join(folder, name), longAgo, longAgo);
    await removePicturesJob.queue(archive.context.db, {});
    await archive.runJobs();
    const left = readdirSync(folder);
    expect([orphan, 'cut-off.unfinished'].filter((name) => left.includes(name))).toEqual([]);
    expect([shown, fresh].filter((name) => !left.includes(name))).toEqual([]);
  });

  test('cannot be the picture of another person', { tags: ['asvs-5.3.2'] }, async () => {
    const [one, two] = [await archive.createMember(), await archive.createMember()];
    await save(one, await smallPicture('#5a5a5a'));
    const { imgURL } = await read(one.device, one.uid);
    expect((await save(two, imgURL ?? '')).statusCode).toBe(422);
  });
});

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><rect width="9" height="9"/></svg>';

/** Returns a black PNG with one bit per pixel: a small file that needs too much memory when decoded. */
function hugePng(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const around = [Buffer.alloc(4), named, Buffer.alloc(4)] as const;
    around[0].writeUInt32BE(data.length);
    around[2].writeUInt32BE(crc32(named));
    return Buffer.concat(around);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.writeUInt8(1, 8);
  const rows = Buffer.alloc(side * (1 + Math.ceil(side / 8)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1A\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('concurrent saves of a profile', () => {
  test('merge their visibility choices', async () => {
    const member = await archive.createMember();
    const { imgURL } = await read(member.device, member.uid);
    const fields = ['interest', 'bio', 'fullBio', 'title', 'gender', 'department'] as const;
    await Promise.all(
      fields.map((field) => {
        const body = { ...member.document, imgURL, visibility: { [field]: 'me' as const } };
        return member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body });
      }),
    );
    const { visibility } = await member.device.call('GET /api/users/{id}/document', { params: { id: member.uid } });
    expect(visibility).toEqual(Object.fromEntries(fields.map((field) => [field, 'me'])));
  });

  test('leave only one profile picture', async () => {
    const member = await archive.createMember();
    const folder = archive.context.media.store.location;
    const before = readdirSync(folder).length;
    await Promise.all(
      ['#111111', '#222222', '#333333'].map(async (colour) => {
        const body = { ...member.document, imgURL: await smallPicture(colour) };
        await member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body });
      }),
    );
    expect(readdirSync(folder)).toHaveLength(before);
    const { imgURL } = await read(member.device, member.uid);
    expect((await archive.openDevice().fetch('GET', imgURL ?? '')).statusCode).toBe(200);
  });
});

describe('the privacy rules', () => {
  test('apply to each of several concurrent readers and profiles', async () => {
    const [hidden, open] = [await archive.createMember(), await archive.createMember()];
    const { version } = await hidden.device.call('GET /api/users/{id}/privacy', { params: { id: hidden.uid } });
    await hidden.device.call('PUT /api/users/{id}/privacy', {
      params: { id: hidden.uid },
      body: { isHidden: true, version },
    });
    const ask = async (device: Device, { uid }: Member) => {
      const response = await device.ask('GET /api/users/{id}', { params: { id: uid }, query: {} });
      return response.statusCode === 200 ? response.json<{ id: string; dob?: string }>() : null;
    };
    const [own, others, guests, ownOpen, openToMember, openToGuest] = await Promise.all([
      ask(hidden.device, hidden),
      ask(open.device, hidden),
      ask(archive.openDevice(), hidden),
      ask(open.device, open),
      ask(hidden.device, open),
      ask(archive.openDevice(), open),
    ]);
    expect([own?.id, others, guests]).toEqual([hidden.uid, null, null]);
    expect([ownOpen?.id, openToMember?.id, openToGuest?.id]).toEqual([open.uid, open.uid, open.uid]);
    expect([ownOpen?.dob?.length, openToGuest?.dob]).toEqual(['YYYY-MM-DD'.length, undefined]);
  });

  test(
    'show exactly the default fields to guests, to members and to the owner',
    {
      tags: [
        'spec-1.6',
        'spec-1.14',
        'spec-3.14',
        'spec-3.15',
        'spec-3.17',
        'spec-3.18',
        'spec-3.19',
        'spec-3.20',
        'spec-7.18',
        'asvs-8.3.1',
        'asvs-15.3.1',
      ],
    },
    async () => {
      const owner = await archive.createMember({ dob: '1991-03-17', otherNames: 'Née Bello' });
      const { imgURL: _, version: __, ...stored } = owner.document;
      const common = {
        id: owner.uid,
        imgURL: expect.stringMatching(/^\/media\/public-[\w-]{22}\/384\.webp$/u) as string,
        schoolLabel: 'OUE',
        label: 'Alum',
      };
      const { first, middle, last } = stored.name;
      const { department, program, year } = stored.academic;
      const forGuests = {
        ...common,
        name: { first, middle, last },
        academic: { department, program, year },
        interest: stored.interest,
        bio: stored.bio,
        social: {},
      };
      const forOwner = { ...common, ...stored, email: owner.email };
      const forMembers = { ...forOwner, dob: '03-17' };

      const member = await archive.createMember();
      const staffWithoutProfile = await archive.signUpVerified();
      await makeStaff(archive, staffWithoutProfile, 'owner');
      const viewers = [
        [archive.openDevice(), forGuests],
        [(await archive.signUp()).device, forGuests],
        [(await archive.signUpVerified()).device, forGuests],
        [staffWithoutProfile.device, forGuests],
        [member.device, forMembers],
        [(await createStaff(archive, 'owner')).device, forMembers],
        [owner.device, forOwner],
      ] as const;
      for (const [device, expected] of viewers) expect(await read(device, owner.uid)).toEqual(expected);
    },
  );

  test(
    'never show guests a contact number, address, birthday, email or matric number on any route',
    { tags: ['spec-6.9', 'asvs-8.2.3', 'asvs-14.2.4'] },
    async () => {
      const member = await archive.createMember({
        contactNumber: '+234 801 000 7777',
        homeAddress: '7 Hidden Close',
        dob: '1991-03-17',
        matricNumber: 'SECRETMAT99/1',
        fullBio: 'A long story for members',
      });
      const secrets = ['801 000 7777', 'Hidden Close', '"dob"', 'SECRETMAT', member.email, 'A long story'];
      const guest = await everythingFor(archive.openDevice(), member);
      for (const secret of secrets) expect(guest).not.toContain(secret);
      // Users who are unverified or have no profile are not members.
      for (const visitor of [await archive.signUp(), await archive.signUpVerified()]) {
        const seen = await everythingFor(visitor.device, member);
        for (const secret of secrets) expect(seen).not.toContain(secret);
      }
      const other = await archive.createMember();
      const seen = await everythingFor(other.device, member);
      for (const secret of ['801 000 7777', 'Hidden Close', '"dob":"03-17"', 'SECRETMAT99/1', 'A long story'])
        expect(seen).toContain(secret);
    },
  );

  test('show the year of birth to the owner only', { tags: ['asvs-14.2.4'] }, async () => {
    const member = await archive.createMember({ dob: '1987-11-30' });
    const other = await archive.createMember();
    const dobFor = async (device: Device, as?: 'members' | 'me') =>
      (await device.call('GET /api/users/{id}', { params: { id: member.uid }, query: { as } })).dob;
    expect(await dobFor(other.device)).toBe('11-30');
    expect(await dobFor(other.device, 'me')).toBe('11-30');
    expect(await dobFor(member.device, 'members')).toBe('11-30');
    expect(await dobFor(member.device)).toBe('1987-11-30');
    const { profile } = await member.device.call('GET /api/users/{id}/document', { params: { id: member.uid } });
    expect(profile.dob).toBe('1987-11-30');
    expect(await everythingFor(other.device, member)).not.toContain('1987-11');
  });

  test(
    'show members eleven characters of the matric number on cards, and guests none',
    { tags: ['spec-1.7', 'spec-3.28', 'spec-9.9'] },
    async () => {
      const { uid } = await archive.createMember({ matricNumber: '20110204123456' });
      const cardFor = async (device: Device) =>
        (await device.call('GET /api/users', { query: { limit: 96 } })).items.find(({ id }) => id === uid);
      const member = await archive.createMember();
      expect((await cardFor(member.device))?.matricNumber).toBe('20110204123');
      expect(await cardFor(archive.openDevice())).not.toHaveProperty('matricNumber');
    },
  );

  test('show each field only to its chosen audience', { tags: ['spec-6.9', 'asvs-8.2.3'] }, async () => {
    const secret = (field: ProfileField) => `hidden-${field.toLowerCase()}`;
    const member = await archive.createMember({
      interest: secret('interest'),
      bio: secret('bio'),
      fullBio: secret('fullBio'),
      xHandle: secret('xHandle'),
      facebookName: secret('facebookName'),
      linkedinName: secret('linkedinName'),
      contactNumber: secret('contactNumber'),
      homeAddress: secret('homeAddress'),
      matricNumber: secret('matricNumber'),
      department: secret('department'),
    });
    const marked = [
      'interest',
      'bio',
      'fullBio',
      'xHandle',
      'facebookName',
      'linkedinName',
      'contactNumber',
      'homeAddress',
      'matricNumber',
      'department',
    ] as const;
    const other = await archive.createMember();
    const guest = archive.openDevice();
    const { imgURL } = await read(member.device, member.uid);
    const choose = (visibility: ProfileDocument['visibility']) =>
      member.device.call('PUT /api/users/{id}', {
        params: { id: member.uid },
        body: { ...member.document, imgURL, visibility },
      });

    await choose(Object.fromEntries(marked.map((field) => [field, 'me'])));
    for (const device of [guest, other.device]) {
      const seen = await everythingFor(device, member);
      for (const field of marked) expect(seen, field).not.toContain(secret(field));
    }
    expect(await read(member.device, member.uid)).toMatchObject({ interest: secret('interest') });

    await choose(Object.fromEntries(marked.map((field) => [field, 'everyone'])));
    const seen = await everythingFor(guest, member);
    // These three fields are never visible to guests.
    const capped = new Set<ProfileField>(['contactNumber', 'homeAddress', 'matricNumber']);
    for (const field of marked) {
      if (capped.has(field)) expect(seen, field).not.toContain(secret(field).slice(0, 11));
      else expect(seen, field).toContain(secret(field));
    }
  });

  test('hide the profile, card and count of a person from audiences that may not see the name', async () => {
    const department = 'Department of one';
    const member = await archive.createMember(
      { department, lastName: 'Unlisted' },
      { visibility: { name: 'members' } },
    );
    const other = await archive.createMember();
    const count = async (device: Device) =>
      (await device.call('GET /api/users/count', { query: { department } })).count;
    expect(await archive.openDevice().code('GET /api/users/{id}', { params: { id: member.uid }, query: {} })).toBe(
      'not-found',
    );
    expect([await count(archive.openDevice()), await count(other.device)]).toEqual([0, 1]);
    expect(await everythingFor(archive.openDevice(), member)).not.toContain(member.document.name.last);
    await member.device.call('PUT /api/users/{id}', {
      params: { id: member.uid },
      body: { ...member.document, visibility: { name: 'me' } },
    });
    expect(await count(other.device)).toBe(0);
    expect(await read(member.device, member.uid)).toMatchObject({ name: member.document.name });
  });

  test('keep hidden values out of filters, counts and facets', { tags: ['asvs-8.2.3'] }, async () => {
    const member = await archive.createMember({
      department: 'Quiet Studies',
      college: 'COVTED',
      yearGraduated: 1991,
      yearAdmitted: 1990,
    });
    const { imgURL } = await read(member.device, member.uid);
    const visibility = { department: 'members', yearGraduated: 'me', college: 'me' } as const;
    await member.device.call('PUT /api/users/{id}', {
      params: { id: member.uid },
      body: { ...member.document, imgURL, visibility },
    });
    const other = await archive.createMember({ yearGraduated: 2020 });
    const finds = async (device: Device, query: object) =>
      (await device.call('GET /api/users', { query: { limit: 96, ...query } })).items.some(
        ({ id }) => id === member.uid,
      );
    const guest = archive.openDevice();
    expect(await finds(guest, {})).toBe(true);
    expect(await finds(guest, { department: 'Quiet Studies' })).toBe(false);
    expect(await finds(guest, { graduatedFrom: 1900, graduatedTo: 2100 })).toBe(false);
    expect(await finds(other.device, { department: 'Quiet Studies' })).toBe(true);
    expect(await finds(other.device, { graduatedFrom: 1990, graduatedTo: 1992 })).toBe(false);
    expect(await finds(other.device, { college: 'COVTED' })).toBe(false);
    const facets = await guest.call('GET /api/users/facets', { query: {} });
    expect(facets.departments.map(({ value }) => value)).not.toContain('Quiet Studies');
    expect(facets.years.map(({ value }) => value)).not.toContain(1991);
    expect((await guest.call('GET /api/users/count', { query: { department: 'Quiet Studies' } })).count).toBe(0);
  });

  test('refuse privacy changes that are based on an outdated version', async () => {
    const { device, uid } = await archive.createMember({ bio: 'A private bio' });
    const params = { id: uid };
    const loaded = await device.call('GET /api/users/{id}/privacy', { params });
    const choose = (body: CallInput<Endpoints['PUT /api/users/{id}/privacy']>['body']) =>
      device.ask('PUT /api/users/{id}/privacy', { params, body });
    const narrowed = await choose({ visibility: { bio: 'me' }, version: loaded.version });
    expect(narrowed.json()).toMatchObject({ visibility: { bio: 'me' }, version: loaded.version + 1 });
    for (const stale of [{ visibility: { bio: 'everyone' } }, { isHidden: false }, { isIndexed: true }] as const)
      expect((await choose({ ...stale, version: loaded.version })).json()).toMatchObject({ code: 'profile-changed' });
    expect((await device.fetch('PUT', `/api/users/${uid}/privacy`, { isHidden: false })).statusCode).toBe(422);
    const now = await device.call('GET /api/users/{id}/privacy', { params });
    expect(now).toEqual({ ...loaded, visibility: { bio: 'me' }, version: loaded.version + 1 });
    expect((await read(archive.openDevice(), uid)).bio).toBeUndefined();
  });

  test('let only the owner preview the profile as another audience sees it', async () => {
    const member = await archive.createMember();
    const other = await archive.createMember();
    const as = (device: Device, audience: 'everyone' | 'members' | 'me') =>
      device.call('GET /api/users/{id}', { params: { id: member.uid }, query: { as: audience } });
    expect(await as(member.device, 'everyone')).toEqual(await read(archive.openDevice(), member.uid));
    expect(await as(member.device, 'members')).toEqual(await read(other.device, member.uid));
    expect(await as(other.device, 'me')).toEqual(await read(other.device, member.uid));
    expect(await as(archive.openDevice(), 'me')).toEqual(await read(archive.openDevice(), member.uid));
  });

  test('cover every field of the profile form', { tags: ['asvs-8.1.2'] }, () => {
    const named = new Set<string>(profileFields);
    const elsewhere: Record<string, ProfileField> = {
      firstName: 'name',
      middleName: 'name',
      lastName: 'name',
      imgURL: 'picture',
    };
    for (const field of formFields) expect(named.has(elsewhere[field] ?? field), field).toBe(true);
  });
});

async function documentOf(): Promise<ProfileDocument> {
  const { version: _, ...document } = (await archive.createMember()).document;
  return document;
}

describe('profiles of minors', () => {
  const now = new Date();
  const born = (years: number) => getLatestDob(years, now).replace('-02-29', '-02-28');
  const dobInDatabase = (uid: string, dob: string) =>
    archive.pool.query('update profiles set dob = $2 where account_id = $1', [uid, dob]);
  const updateMinors = async () => {
    await updateMinorsJob.queue(archive.context.db, {});
    await archive.runJobs();
    archive.context.listCache.clear();
  };
  const isSeenByGuests = async ({ uid }: Member) =>
    (await archive.openDevice().fetch('GET', `/api/users/${uid}`)).statusCode === 200;

  test('are visible to members only, regardless of the owner’s choices', async () => {
    const minor = await archive.createMember({ dob: born(17), department: 'Minor Studies', lastName: 'Underage' });
    const params = { id: minor.uid };
    const visibility = { name: 'everyone', picture: 'everyone', bio: 'everyone' } as const;
    const body = { visibility, isIndexed: true, version: 'any' } as const;
    const chosen = await minor.device.call('PUT /api/users/{id}/privacy', { params, body });
    expect(chosen).toMatchObject({ visibility, isMinor: true });
    expect(await everythingFor(archive.openDevice(), minor)).not.toContain('Underage');
    expect(await isSeenByGuests(minor)).toBe(false);
    const { imgURL, isIndexed } = await read((await archive.createMember()).device, minor.uid);
    expect(isIndexed).toBeUndefined();
    expect((await archive.openDevice().fetch('GET', imgURL ?? '')).headers['cache-control']).toContain('private');
    const asGuest = minor.device.code('GET /api/users/{id}', { params, query: { as: 'everyone' } });
    expect(await asGuest).toBe('not-found');
  });

  test('are removed from the lists for guests by the nightly job, and their pictures get a new URL', async () => {
    const member = await archive.createMember();
    const { imgURL } = await read(member.device, member.uid);
    await dobInDatabase(member.uid, born(17));
    expect(await isSeenByGuests(member)).toBe(true);
    await updateMinors();
    expect(await isSeenByGuests(member)).toBe(false);
    const { items } = await archive.openDevice().call('GET /api/users', { query: { limit: 96 } });
    expect(items.map(({ id }) => id)).not.toContain(member.uid);
    expect((await archive.openDevice().fetch('GET', imgURL ?? '')).statusCode).toBe(404);
    expect((await read(member.device, member.uid)).imgURL).not.toBe(imgURL);
  });

  test('become visible to guests after the owner comes of age, unless the clock has jumped', async () => {
    const minor = await archive.createMember({ dob: born(17) });
    await dobInDatabase(minor.uid, born(18));
    await archive.pool.query('update clock set steady_since = now()');
    await updateMinors();
    expect(await isSeenByGuests(minor)).toBe(false);
    await archive.pool.query("update clock set steady_since = now() - interval '25 hours', seen_at = now()");
    await updateMinors();
    expect(await isSeenByGuests(minor)).toBe(true);
    const { rows } = await archive.pool.query(
      `select l.listed_at = p.created_at as "isOldPlace" from listings as l join profiles as p using (account_id)
       where l.account_id = $1 and l.audience = 'everyone'`,
      [minor.uid],
    );
    expect(rows).toEqual([{ isOldPlace: true }]);
  });

  test.each([
    ['in the future', '2999-01-01', 'Check the year. The date of birth must be at least 10 years ago'],
    ['nine years ago', born(9), 'Check the year. The date of birth must be at least 10 years ago'],
    ['fifteen years ago', born(15), 'You must be 16 or older to have a profile here'],
  ])('cannot be created with a date of birth %s', async (_, dob, message) => {
    const { device, uid } = await archive.signUpVerified();
    const body = { ...(await documentOf()), dob, imgURL: await smallPicture() };
    const { errors } = await device.problem('PUT /api/users/{id}', { params: { id: uid }, body });
    expect(errors).toEqual([{ pointer: '/dob', message }]);
  });

  test('can be changed by owners below the minimum age, except for the date of birth', async () => {
    const { device, uid, document } = await archive.createMember({ dob: born(17) });
    await dobInDatabase(uid, born(15));
    const imgURL = (await read(device, uid)).imgURL;
    const save = (changes: Partial<ProfileDocument>) =>
      device.ask('PUT /api/users/{id}', { params: { id: uid }, body: { ...document, imgURL, ...changes } });
    expect((await save({ dob: born(15), bio: 'Changed' })).json()).toMatchObject({ bio: 'Changed' });
    expect((await save({ dob: born(14) })).statusCode).toBe(422);
  });
});

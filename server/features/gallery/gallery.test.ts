import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { CallInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { Photo } from '#contract/gallery.ts';
import { fieldLengths } from '#contract/field-lengths.ts';
import { maxPhotosPerAccount } from '#contract/quotas.ts';
import type { StoredPhoto } from '#server/platform/media/media.ts';
import { writeCursor } from '#server/platform/http/cursor.ts';
import { smallPicture, openArchive, type TestArchive, type Visitor } from '#server/testing/archive.ts';
import { defineJob } from '#server/platform/jobs/define-job.ts';
import * as z from 'zod/mini';

let archive: TestArchive;
beforeAll(async () => {
  archive = await openArchive(inject('databases'));
});
afterAll(() => archive.close());

type NewPhoto = CallInput<Endpoints['POST /api/gallery/photos']>['body'];

const photoOf = async (more: Partial<NewPhoto> = {}): Promise<NewPhoto> => ({
  album: 'Convocation 2015',
  title: 'Caps in the air',
  audience: 'members',
  image: await smallPicture(),
  ...more,
});
const add = async ({ device }: Visitor, more: Partial<NewPhoto> = {}): Promise<Photo> =>
  device.call('POST /api/gallery/photos', { body: await photoOf(more) });
const photosFor = async (device: Visitor['device'], album?: string) =>
  (await device.call('GET /api/gallery/photos', { query: { album } })).items;
const filesOf = async ({ src }: Photo) =>
  readdir(join(archive.context.media.store.location, src.split('/')[2] ?? '')).catch(() => []);

const plain = async (width: number, height: number): Promise<string> => {
  const jpeg = await sharp({ create: { width, height, channels: 3, background: '#447799' } })
    .jpeg()
    .toBuffer();
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
};

const fromCamera = async (width: number, height: number): Promise<string> => {
  const jpeg = await sharp({ create: { width, height, channels: 3, background: '#447799' } })
    .withExif({ IFD0: { Make: 'Camera of somebody' }, IFD3: { GPSLatitude: '7/1 9/1 0/1', GPSLatitudeRef: 'N' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
};

describe('POST /api/gallery/photos', () => {
  test(
    'stores the fields of the photo, and its picture upright, in two sizes and without metadata',
    { tags: ['asvs-5.4.3'] },
    async () => {
      const member = await archive.createMember();
      const photo = await add(member, {
        place: '  Main   bowl ',
        takenOn: '2015-03-12',
        image: await fromCamera(3000, 2000),
      });
      expect(photo).toMatchObject({
        album: 'Convocation 2015',
        title: 'Caps in the air',
        place: 'Main bowl',
        takenOn: '2015-03-12',
        isOwn: true,
        by: { id: member.uid },
        // The file is rotated, so the upright photo is higher than wide.
        width: 960,
        height: 1440,
      });
      const sizes = await Promise.all(
        [photo.src, photo.thumb].map(async (path) => {
          const { rawPayload, headers } = await member.device.fetch('GET', path);
          const { width, height, exif, format } = await sharp(rawPayload).metadata();
          expect([format, exif, headers['cache-control']]).toEqual([
            'webp',
            undefined,
            'private, max-age=31536000, immutable',
          ]);
          return [width, height];
        }),
      );
      expect(sizes).toEqual([
        [960, 1440],
        [480, 720],
      ]);
    },
  );

  test.each<[string, Partial<NewPhoto>]>([
    ['title', { title: ' \u200B ' }],
    ['album', { album: '' }],
    ['takenOn', { takenOn: '2999-01-01' }],
    ['takenOn', { takenOn: '2015-02-30' }],
    ['place', { place: 'x'.repeat(fieldLengths.lineMax + 1) }],
    ['audience', { audience: 'me' as 'members' }],
  ])('responds with a pointer to the field %s if it is invalid', async (name, more) => {
    const { device } = await archive.createMember();
    const { code, errors } = await device.problem('POST /api/gallery/photos', { body: await photoOf(more) });
    expect([code, errors?.[0]?.pointer]).toEqual(['validation-failed', `/${name}`]);
  });

  test('refuses a file that is not a picture, and stores nothing', { tags: ['asvs-5.2.2'] }, async () => {
    const { device } = await archive.createMember();
    const before = await readdir(archive.context.media.store.location);
    const text = `data:image/png;base64,${Buffer.from('no picture at all').toString('base64')}`;
    const { code, errors } = await device.problem('POST /api/gallery/photos', { body: await photoOf({ image: text }) });
    expect([code, errors?.[0]?.pointer]).toEqual(['not-an-image', '/image']);
    expect(await readdir(archive.context.media.store.location)).toEqual(before);
  });

  test('refuses guests, unverified users and users without a profile', { tags: ['asvs-8.2.1'] }, async () => {
    const body = await photoOf();
    expect(await archive.openDevice().code('POST /api/gallery/photos', { body })).toBe('auth/unauthenticated');
    const unverified = await archive.signUp();
    expect(await unverified.device.code('POST /api/gallery/photos', { body })).toBe('auth/unverified-email');
    const incomplete = await archive.signUpVerified();
    expect(await incomplete.device.code('POST /api/gallery/photos', { body })).toBe('permission-denied');
  });

  test('refuses photos that exceed the quota of the account', { tags: ['asvs-2.3.2'] }, async () => {
    const member = await archive.createMember();
    await archive.pool.query(
      `insert into photos (account_id, picture, width, height, album_key, album, title, audience)
       select $1, 'none-' || n, 1, 1, 'many', 'Many', 'One of many', 'members' from generate_series(1, $2::int) n`,
      [member.uid, maxPhotosPerAccount - 1],
    );
    await add(member);
    const { code, detail } = await member.device.problem('POST /api/gallery/photos', { body: await photoOf() });
    expect([code, detail]).toEqual(['permission-denied', expect.stringContaining('300 photos')]);
    await archive.pool.query('delete from photos where account_id = $1', [member.uid]);
  });

  test('adds nothing when the session ends during the upload', async () => {
    const member = await archive.createMember();
    const before = await readdir(archive.context.media.store.location);
    const media = archive.context.media as { storePhoto: (image: Buffer, isPublic: boolean) => Promise<StoredPhoto> };
    const storePhoto = media.storePhoto.bind(media);
    media.storePhoto = async (image, isPublic) => {
      media.storePhoto = storePhoto;
      await archive.pool.query('delete from sessions where account_id = $1', [member.uid]);
      return storePhoto(image, isPublic);
    };
    expect(await member.device.code('POST /api/gallery/photos', { body: await photoOf() })).toBe(
      'auth/unauthenticated',
    );
    expect(await readdir(archive.context.media.store.location)).toEqual(before);
  });
});

describe('the visibility of photos', () => {
  test('shows guests only the public photos and albums', async () => {
    await archive.pool.query('delete from photos');
    const member = await archive.createMember();
    const guest = archive.openDevice();
    await add(member, { album: 'For members', title: 'Inside' });
    await add(member, { album: 'For all', title: 'Outside', audience: 'everyone' });
    const albumsFor = async (device: Visitor['device']) =>
      (await device.call('GET /api/gallery/albums')).albums.map(({ key }) => key);
    const [outside, ...others] = await photosFor(guest);
    expect([outside?.title, others]).toEqual(['Outside', []]);
    const { headers } = await guest.fetch('GET', outside?.src ?? '');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(await photosFor(guest, 'for members')).toEqual([]);
    expect(await albumsFor(guest)).toEqual(['for all']);
    expect(await albumsFor(member.device)).toEqual(expect.arrayContaining(['for all', 'for members']));
    const incomplete = await archive.signUpVerified();
    expect((await photosFor(incomplete.device)).map(({ title }) => title)).toEqual(['Outside']);
    expect((await photosFor(member.device)).map(({ title }) => title)).toEqual(
      expect.arrayContaining(['Outside', 'Inside']),
    );
  });

  test('shows the owner’s name only to the audience of the name', async () => {
    const hidden = await archive.createMember({}, { visibility: { name: 'me' } });
    const shy = await archive.createMember({}, { visibility: { name: 'members' } });
    await add(hidden, { album: 'Names', audience: 'everyone' });
    await add(shy, { album: 'Names', audience: 'everyone' });
    const namesFor = async (device: Visitor['device']) => (await photosFor(device, 'names')).map(({ by }) => by?.id);
    expect(await namesFor(archive.openDevice())).toEqual([undefined, undefined]);
    expect(await namesFor((await archive.createMember()).device)).toEqual([shy.uid, undefined]);
  });
});

describe('the albums', () => {
  test('treat titles that differ only in case, accents and spaces as one album', async () => {
    const member = await archive.createMember();
    await add(member, { album: 'Ẹ̀ka Ìmọ̀ 2012' });
    const { thumb: cover } = await add(member, { album: 'eka  imo 2012', title: 'Second' });
    const { albums } = await member.device.call('GET /api/gallery/albums');
    expect(albums.filter(({ key }) => key === 'eka imo 2012')).toEqual([
      { key: 'eka imo 2012', title: 'Ẹ̀ka Ìmọ̀ 2012', photos: 2, cover },
    ]);
    expect((await photosFor(member.device, 'eka imo 2012')).map(({ title, album }) => [title, album])).toEqual([
      ['Second', 'Ẹ̀ka Ìmọ̀ 2012'],
      ['Caps in the air', 'Ẹ̀ka Ìmọ̀ 2012'],
    ]);
  });

  test('have as cover the newest photo that the viewer may see', async () => {
    const member = await archive.createMember();
    const { thumb: open } = await add(member, { album: 'Cover', audience: 'everyone' });
    const { thumb: inside } = await add(member, { album: 'Cover', image: await smallPicture('#aa3355') });
    const coverFor = async ({ device }: Pick<Visitor, 'device'>) =>
      (await device.call('GET /api/gallery/albums')).albums.find(({ key }) => key === 'cover')?.cover;
    expect([await coverFor(member), await coverFor({ device: archive.openDevice() })]).toEqual([inside, open]);
  });

  test('return their photos by year, of the day on which they were taken or else added', async () => {
    const member = await archive.createMember();
    for (const takenOn of ['2012-03-01', '2019-08-10', undefined, '2012-12-31'])
      await add(member, { album: 'Years', title: takenOn ?? 'today', ...(takenOn && { takenOn }) });
    expect((await photosFor(member.device, 'years')).map(({ title, year }) => [title, year])).toEqual([
      ['today', new Date().getUTCFullYear()],
      ['2019-08-10', 2019],
      ['2012-12-31', 2012],
      ['2012-03-01', 2012],
    ]);
  });

  test('return their photos in pages, newest first and each exactly once', async () => {
    const member = await archive.createMember();
    await archive.pool.query(
      `insert into photos (account_id, picture, width, height, album_key, album, title, audience, taken_on)
       select $1, 'paged-' || n, 1, 1, 'paged', 'Paged', 'No ' || n, 'members', make_date(2000 + n % 7, 1, 1)
       from generate_series(1, 50) n`,
      [member.uid],
    );
    const titles: string[] = [];
    const years: number[] = [];
    let after: string | undefined;
    do {
      const page = await member.device.call('GET /api/gallery/photos', { query: { album: 'paged', after } });
      titles.push(...page.items.map(({ title }) => title));
      years.push(...page.items.map(({ year }) => year));
      expect(page.items.length).toBeLessThanOrEqual(24);
      after = page.next ?? undefined;
    } while (after !== undefined);
    expect([titles.length, new Set(titles).size]).toEqual([50, 50]);
    expect(years).toEqual(years.toSorted((one, other) => other - one));
    expect(await member.device.code('GET /api/gallery/photos', { query: { after: 'WzFd' } })).toBe('malformed-request');
    // Times that exceed the range of PostgreSQL's bigint or timestamp.
    for (const age of ['9'.repeat(30), '9223372036854775807', '99999999999999999']) {
      const query = { after: writeCursor([2026, age, member.uid]) };
      expect(await member.device.code('GET /api/gallery/photos', { query }), age).toBe('malformed-request');
    }
  });
});

describe('the removal of photos', () => {
  test('deletes their files, and is allowed only for the owner', { tags: ['asvs-8.2.2'] }, async () => {
    const [owner, other] = [await archive.createMember(), await archive.createMember()];
    const photo = await add(owner, { album: 'Removed' });
    expect(new Set(await filesOf(photo))).toEqual(new Set(['1440.webp', '480.webp']));
    const params = { id: photo.id };
    expect(await other.device.code('DELETE /api/gallery/photos/{id}', { params })).toBe('not-found');
    expect(await archive.openDevice().code('DELETE /api/gallery/photos/{id}', { params })).toBe('auth/unauthenticated');
    await owner.device.call('DELETE /api/gallery/photos/{id}', { params });
    expect(await filesOf(photo)).toEqual([]);
    expect(await photosFor(owner.device, 'removed')).toEqual([]);
    expect((await owner.device.call('GET /api/gallery/albums')).albums.map(({ key }) => key)).not.toContain('removed');
    expect(await owner.device.code('DELETE /api/gallery/photos/{id}', { params })).toBe('not-found');
  });

  test('happens when their owner deletes the account', async () => {
    const member = await archive.createMember();
    const photo = await add(member, { album: 'Gone with its owner' });
    await member.device.call('DELETE /api/identity/account');
    expect(await filesOf(photo)).toEqual([]);
    expect((await archive.pool.query('select from photos where id = $1', [photo.id])).rows).toEqual([]);
  });

  test('does not happen in the nightly clean-up while the photos are in use', async () => {
    const photo = await add(await archive.createMember(), { album: 'Kept' });
    const media = archive.context.media as { listStoredBefore: (before: Date) => Promise<string[]> };
    const listStoredBefore = media.listStoredBefore.bind(media);
    media.listStoredBefore = () => listStoredBefore(new Date(Date.now() + 1_000));
    await defineJob('profile:remove-pictures', z.unknown()).queue(archive.context.db, {});
    await archive.runJobs();
    media.listStoredBefore = listStoredBefore;
    expect(await filesOf(photo)).toHaveLength(2);
  });
});

test('the department digest counts new photos of other members', async () => {
  const runDigest = async () => {
    await archive.advanceTime('11 minutes');
    await archive.runJobs();
  };
  // Counts the photos of earlier tests.
  await runDigest();
  const here = { college: 'COSIT', department: 'Marine Biology' };
  const [reader, writer, elsewhere] = [
    await archive.createMember(here),
    await archive.createMember(here),
    await archive.createMember(),
  ];
  for (let index = 0; index < 3; index++) await add(writer, { album: 'Field trip' });
  await runDigest();
  const listDigests = async ({ device }: Visitor) =>
    (await device.call('GET /api/notifications', { query: {} })).notifications
      .filter(({ kind }) => kind === 'photos-added')
      .map(({ detail, count }) => [detail, count]);
  expect(await listDigests(reader)).toEqual([['Marine Biology', 3]]);
  expect(await listDigests(writer)).toEqual([]);
  expect(await listDigests(elsewhere)).toEqual([]);
});

test('POST /api/gallery/photos crops extremely wide or tall pictures quickly', async () => {
  const member = await archive.createMember();
  // Enlarging such a picture before cropping took minutes and blocked all other pictures.
  for (const [width, height] of [
    [16_000, 4],
    [4, 16_000],
  ] as const) {
    const photo = await add(member, { image: await plain(width, height) });
    expect(Math.max(photo.width, photo.height)).toBe(1440);
    expect(await filesOf(photo)).toHaveLength(2);
    const body = { ...member.document, imgURL: await plain(width, height) };
    await member.device.call('PUT /api/users/{id}', { params: { id: member.uid }, body });
  }
}, 60_000);

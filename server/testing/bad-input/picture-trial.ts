import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { createRandom } from '#server/seed/random.ts';
import type { TestArchive } from '../archive.ts';
import { findLogFaults, findServiceFaults, findStoreFaults } from './aftermath.ts';
import { findFault } from './judge.ts';
import { type BadPicture, mutations, createPictureGenerator } from './pictures.ts';
import { createTally } from './tally.ts';

const maxGrowthBytes = 500_000_000;

const storedWidthsPx = new Set([96, 192, 384, 480, 1440]);
/** Small photos are not enlarged. */
const photoWidthsPx = new Set([480, 1440]);

export async function tryBadPictures(
  archive: TestArchive,
  { pictures, seed }: { pictures: number; seed: number },
): Promise<{ report: string; faults: string[] }> {
  const createPicture = await createPictureGenerator();
  const random = createRandom(seed);
  const member = await archive.createMember();
  const tally = createTally();
  const faults: string[] = [];
  await archive.openDevice().fetch('GET', '/healthz');
  const before = process.memoryUsage().rss;
  let peakBytes = before;

  for (let number = 0; number < pictures; number++) {
    const which = seed * 100_003 + number;
    const { sort, text, misspelled, form } = createPicture(which);
    // Random, because the kinds also rotate: each kind must reach both decoders.
    const decoder = random.pick(['profile', 'gallery'] as const);
    if (number % 50 === 0) {
      await archive.pool.query('delete from throttles; delete from long_throttles');
      const { items } = await member.device.call('GET /api/gallery/photos', { query: {} });
      for (const { id } of items) await member.device.call('DELETE /api/gallery/photos/{id}', { params: { id } });
    }
    await send(decoder, sort, which, text);
    await send('form', sort, which, form);
    if (number % 4 === 0) await send(decoder, `${sort}, as an invalid data URL`, which, misspelled);
  }

  async function send(
    way: 'profile' | 'gallery' | 'form',
    sort: string,
    which: number,
    picture: string | BadPicture['form'],
  ): Promise<void> {
    const { device, uid, document } = member;
    const started = performance.now();
    const path = way === 'profile' ? `/api/users/${uid}` : '/api/gallery/photos';
    const answer =
      typeof picture !== 'string'
        ? await device.fetch('POST', path, picture.body, { 'content-type': picture.type })
        : way === 'profile'
          ? await device.fetch('PUT', path, { ...document, imgURL: picture })
          : await device.fetch('POST', path, { title: 'A', album: 'B', audience: 'everyone', image: picture });
    const ms = performance.now() - started;
    peakBytes = Math.max(peakBytes, process.memoryUsage().rss);
    tally.count(way, answer.statusCode, ms, [sort], `${sort} ${which}`);
    const name = way === 'profile' ? 'PUT /api/users/{id}' : 'POST /api/gallery/photos';
    const right = way === 'form' ? [415] : [200, 413, 422];
    const fault =
      findFault(path, 'POST', name, { status: answer.statusCode, headers: answer.headers, body: answer.body }) ??
      (right.includes(answer.statusCode) ? null : `It returns ${answer.statusCode}.`) ??
      (ms > 15_000 ? `It takes ${Math.round(ms)} ms.` : null);
    if (fault !== null) faults.push(`${way}, "${sort}", picture ${which}: ${fault} ${answer.body.slice(0, 200)}`);
  }

  const grown = peakBytes - before;
  for (const sort of Object.keys(mutations)) if (!tally.kinds.has(sort)) faults.push(`"${sort}" was not tested.`);
  if (grown > maxGrowthBytes) faults.push(`The process has grown by ${Math.round(grown / 1e6)} MB.`);
  faults.push(
    ...(await findFileFaults(archive)),
    ...findLogFaults(archive.logged, new Set(member.device.cookies.values())),
    ...(await findStoreFaults(archive)),
    ...(await findServiceFaults(archive)),
  );
  return {
    report: `pictures from seed ${seed}; memory grew by at most ${Math.round(grown / 1e6)} MB\n${tally.report()}`,
    faults,
  };
}

async function findFileFaults({ context }: TestArchive): Promise<string[]> {
  const faults: string[] = [];
  for (const entry of await readdir(context.media.store.location, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const {
      format,
      width,
      exif,
      icc,
      xmp,
      pages = 1,
    } = await sharp(await readFile(join(entry.parentPath, entry.name))).metadata();
    const own = Number(entry.name.replace(/\.webp$/u, ''));
    const isOfOurSize = storedWidthsPx.has(own) && (width === own || (photoWidthsPx.has(own) && width < own));
    if (format !== 'webp' || !isOfOurSize || exif || icc || xmp || pages > 1)
      faults.push(
        `${entry.name} is ${format}, ${width} wide, ${pages} pages, with ${exif || icc || xmp ? '' : 'no '}metadata.`,
      );
  }
  return faults;
}

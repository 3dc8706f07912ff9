import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { TestArchive } from '../archive.ts';
import { faultsInLog, faultsInService, faultsInStore } from './aftermath.ts';
import { faultIn } from './judge.ts';
import { mutations, openPictures } from './pictures.ts';
import { createTally } from './tally.ts';

/** Bytes that the process may have grown by; a picture of the largest size that is taken has 50 MB of pixels. */
const growth = 500_000_000;

/** Sizes in which pictures are kept: a portrait's, and a photo's thumb and the most of its whole. */
const widths = new Set([96, 192, 384, 480, 1440]);

/**
 * Sends bad pictures as a profile's and to the gallery, and as a file of a form, in turns.
 * @returns a report for a person, and sentences about what is not as it should be
 */
export async function tryBadPictures(
  archive: TestArchive,
  { pictures, seed }: { pictures: number; seed: number },
): Promise<{ report: string; faults: string[] }> {
  const make = await openPictures();
  const member = await archive.join();
  const tally = createTally();
  const faults: string[] = [];
  await archive.device().fetch('GET', '/healthz');
  const before = process.memoryUsage().rss;
  let most = before;

  for (let number = 0; number < pictures; number++) {
    const which = seed * 100_003 + number;
    const { sort, bytes, text } = make(which);
    const way = ['profile', 'gallery', 'gallery', 'form'][number % 4] ?? 'profile';
    if (number % 50 === 0) {
      await archive.pool.query('delete from throttles');
      const { items } = await member.device.call('GET /api/gallery/photos', { query: {} });
      for (const { id } of items) await member.device.call('DELETE /api/gallery/photos/{id}', { params: { id } });
    }
    const started = performance.now();
    const path = way === 'profile' ? `/api/users/${member.uid}` : '/api/gallery/photos';
    const answer =
      way === 'profile'
        ? await member.device.fetch('PUT', path, { ...member.document, imgURL: text })
        : way === 'gallery'
          ? await member.device.fetch('POST', path, { title: 'A', album: 'B', audience: 'everyone', image: text })
          : await member.device.fetch('POST', path, formWith(bytes), {
              'content-type': 'multipart/form-data; boundary=frontier',
            });
    const ms = performance.now() - started;
    most = Math.max(most, process.memoryUsage().rss);
    tally.count(way, answer.statusCode, ms, [sort], `${sort} ${which}`);
    const name = way === 'profile' ? 'PUT /api/users/{id}' : 'POST /api/gallery/photos';
    const isRight = way === 'form' ? answer.statusCode === 415 : [200, 413, 422].includes(answer.statusCode);
    const fault =
      faultIn(path, 'POST', name, { status: answer.statusCode, headers: answer.headers, body: answer.body }) ??
      (isRight ? null : `It answers ${answer.statusCode}.`) ??
      (ms > 15_000 ? `It takes ${Math.round(ms)} ms.` : null);
    if (fault !== null) faults.push(`${way}, "${sort}", picture ${which}: ${fault} ${answer.body.slice(0, 200)}`);
  }

  const grown = most - before;
  for (const sort of Object.keys(mutations)) if (!tally.kinds.has(sort)) faults.push(`"${sort}" was not tried.`);
  if (grown > growth) faults.push(`The process has grown by ${Math.round(grown / 1e6)} MB.`);
  faults.push(
    ...(await faultsInFiles(archive)),
    ...faultsInLog(archive.logged, new Set(member.device.cookies.values())),
    ...(await faultsInStore(archive)),
    ...(await faultsInService(archive)),
  );
  return {
    report: `pictures from seed ${seed}; at most ${Math.round(grown / 1e6)} MB more than before\n${tally.report()}`,
    faults,
  };
}

const formWith = (image: Buffer) =>
  Buffer.concat([
    Buffer.from(
      '--frontier\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n',
    ),
    image,
    Buffer.from('\r\n--frontier--\r\n'),
  ]);

/** Whatever was sent: what is kept are WebPs of our sizes, and nothing but pixels. */
async function faultsInFiles({ context }: TestArchive): Promise<string[]> {
  const faults: string[] = [];
  for (const entry of await readdir(context.media.folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const {
      format,
      width,
      exif,
      icc,
      xmp,
      pages = 1,
    } = await sharp(await readFile(join(entry.parentPath, entry.name))).metadata();
    const isOfOurSize = widths.has(width) || (entry.name === '1440.webp' && width < 1440);
    if (format !== 'webp' || !isOfOurSize || exif || icc || xmp || pages > 1)
      faults.push(
        `${entry.name} is ${format}, ${width} wide, ${pages} pages, with ${exif || icc || xmp ? 'more than' : 'only'} pixels.`,
      );
  }
  return faults;
}

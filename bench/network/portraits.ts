import { cp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';
import sharp from 'sharp';
import { pictureSizes } from '#server/domain/people/picture-sizes.ts';
import { createFolderStore } from '#server/platform/media/folder-store.ts';
import { createMedia } from '#server/platform/media/media.ts';
import { paintPortrait } from '#server/seed/portrait.ts';
import { createRandom } from '#server/seed/random.ts';

const [widthPx, heightPx] = [768, 960] as const;

/**
 * Number of different photos, as many as a page shows. Copies have different URLs, so the browser loads each of them.
 */
const photoCount = 24;

/**
 * Replaces the stored portraits of a data folder with pictures that compress like photos. The drawn portraits of the
 * demo are flat and take a third of the bytes.
 */
export async function replaceByPhotos(dataDir: string): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'archive-photos-'));
  const media = createMedia(createFolderStore(temporary, 0), pictureSizes);
  const random = createRandom(1);
  const photos: string[] = [];
  for (let index = 0; index < photoCount; index++) {
    const drawn = await paintPortrait(random, index % 2 === 0 ? 'female' : 'male');
    photos.push(await media.storePortrait(await addTexture(drawn)));
  }
  const folder = join(dataDir, 'media');
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.'));
  for (const [index, name] of names.entries())
    await cp(join(temporary, photos[index % photoCount] ?? ''), join(folder, name), { recursive: true });
  await rm(temporary, { recursive: true });
}

/** Adds noise of several sizes to a picture. The result needs about as many bytes as a portrait photo of this size. */
async function addTexture(picture: Buffer): Promise<Buffer> {
  const layers = [2, 4, 8, 16, 32].map(async (scale) => {
    const size = { width: Math.ceil(widthPx / scale), height: Math.ceil(heightPx / scale) };
    const noise = sharp({
      create: {
        ...size,
        channels: 3,
        background: '#808080',
        noise: { type: 'gaussian', mean: 128, sigma: noiseSigma },
      },
    });
    const input = await noise.resize(widthPx, heightPx, { kernel: 'cubic', fit: 'fill' }).png().toBuffer();
    return { input, blend: 'soft-light' } as const;
  });
  return sharp(picture)
    .composite(await Promise.all(layers))
    .jpeg({ quality: 86 })
    .toBuffer();
}

/** Standard deviation of the noise. Results in 4 to 5 KB at 192 pixels and 13 to 16 KB at 384 pixels. */
const noiseSigma = 24;

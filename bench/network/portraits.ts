import { readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync } from 'node:fs';
import sharp from 'sharp';
import { pictureSizes } from '#server/domain/picture-sizes.ts';
import { createMedia } from '#server/platform/media/media.ts';
import { paintPortrait } from '#server/seed/portrait.ts';
import { createRandom } from '#server/seed/random.ts';

const [widthPx, heightPx] = [768, 960] as const;

/**
 * Replaces the stored portraits of a data folder with pictures that compress like photos. The drawn portraits of the demo
 * are flat and take a third of the bytes.
 */
export async function replaceByPhotos(dataDir: string): Promise<void> {
  const temporary = mkdtempSync(join(tmpdir(), 'archive-photos-'));
  const media = createMedia(temporary, 0, pictureSizes);
  const random = createRandom(1);
  const folder = join(dataDir, 'media');
  for (const name of (await readdir(folder)).filter((name) => !name.startsWith('.'))) {
    const drawn = await paintPortrait(random, random.chance(0.5) ? 'female' : 'male');
    const photo = await media.storePortrait(await addTexture(drawn));
    await rm(join(folder, name), { recursive: true });
    await rename(join(media.folder, photo), join(folder, name));
  }
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

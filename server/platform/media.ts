import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { ProblemError } from './problem.ts';
import { createQueue } from './queue.ts';

/** Widths in pixels; the height is 5/4 of it, the portrait of the cards. */
export const pictureSizes = [96, 192, 384] as const;
export type PictureSize = (typeof pictureSizes)[number];

export interface Media {
  /** @returns the picture's name, from which its paths follow @throws ProblemError not-an-image */
  store(image: Buffer): Promise<string>;
  remove(name: string): Promise<void>;
  /** The folder to serve `/media/{name}/{size}.webp` from. */
  readonly folder: string;
}

/** The path of a stored picture on our own origin; its content never changes. */
export const picturePath = (name: string, size: PictureSize): string => `/media/${name}/${size}.webp`;

// One picture at a time, on one core: the directory stays fast while a class registers.
sharp.concurrency(1);
sharp.cache(false);

/** The browser sends 768 by 960; a client of its own may send what a phone's camera takes. More than that is a bomb. */
const limitInputPixels = 50_000_000;

/**
 * Keeps pictures on disk. What comes in is decoded, turned upright, cropped to 4:5, stripped of everything but its
 * pixels (no place, no camera, no hidden second picture), and stored as WebP at three widths.
 */
export function createMedia(dataDir: string): Media {
  const folder = join(dataDir, 'media');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const queue = createQueue({ atOnce: 1, waiting: 32 });
  return {
    folder,
    store: (image) =>
      queue(async () => {
        const files = await encode(image);
        const name = createHash('sha256').update(files[384]).digest('base64url').slice(0, 22);
        const place = join(folder, name);
        const unfinished = `${place}.${randomBytes(4).toString('hex')}`;
        await mkdir(unfinished, { recursive: true, mode: 0o700 });
        for (const size of pictureSizes) await writeFile(join(unfinished, `${size}.webp`), files[size]);
        try {
          await rename(unfinished, place);
        } catch {
          // The same picture is there already.
          await rm(unfinished, { recursive: true, force: true });
        }
        return name;
      }),
    remove: async (name) => {
      if (/^[\w-]+$/u.test(name)) await rm(join(folder, name), { recursive: true, force: true });
    },
  };
}

/** What the libraries behind sharp decode from plain bytes; SVG and PDF are programs of their own and stay out. */
const formats = new Set(['jpeg', 'png', 'webp', 'gif', 'heif']);

async function encode(image: Buffer): Promise<Record<PictureSize, Buffer>> {
  try {
    const { format } = await sharp(image, { limitInputPixels }).metadata();
    if (!formats.has(format)) throw new Error(`${format} is not taken.`);
    const portrait = sharp(image, { limitInputPixels, failOn: 'error' })
      .autoOrient()
      .resize(768, 960, { fit: 'cover', position: 'attention' });
    const pixels = await portrait
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (size: PictureSize) =>
      sharp(pixels.data, { raw: pixels.info })
        .resize(size, (size * 5) / 4)
        .webp({ quality: 72, effort: 4 })
        .toBuffer();
    return { 96: await at(96), 192: await at(192), 384: await at(384) };
  } catch (error) {
    throw new ProblemError('not-an-image', {
      detail: 'This file cannot be read as a picture. Choose a JPEG, PNG or WebP.',
      cause: error,
    });
  }
}

/** The bytes of a `data:image/…;base64,…` string. */
export const bytesOfDataString = (dataString: string): Buffer =>
  Buffer.from(dataString.slice(dataString.indexOf(',') + 1), 'base64');

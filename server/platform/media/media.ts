import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { convertDiskErrors, requireDiskReserve } from '../storage/disk-reserve.ts';
import { nullIfMissing, syncFolder } from '../storage/files.ts';
import { ProblemError } from '../http/problem.ts';
import { createWorkQueue } from '../limits/work-queue.ts';

/** Widths of a portrait in pixels; the height is 5/4 of it, the portrait of the cards. */
const portraitSizes = [96, 192, 384] as const;
type PortraitSize = (typeof portraitSizes)[number];

/** A photo is stored as a crop of 480 by 320 for grids, and whole, at most 1440 wide and high. */
const [thumbSize, wholeSize] = [480, 1440] as const;
export type PictureSize = PortraitSize | typeof thumbSize | typeof wholeSize;

export interface StoredPhoto {
  readonly name: string;
  /** Of the whole one, in pixels. */
  readonly width: number;
  readonly height: number;
}

export interface MediaFile {
  /** e.g. `384.webp` */
  readonly name: string;
  readonly content: Buffer;
}

export interface MediaSize {
  readonly name: string;
  readonly bytes: number;
}

export interface Media {
  /**
   * Stores a portrait.
   * @returns the picture's name, from which its paths follow
   * @throws UnreadablePicture; ProblemError insufficient-storage
   */
  storePortrait(image: Buffer): Promise<string>;
  /**
   * Stores a photo for the gallery.
   * @param isPublic whether everyone may see it
   * @throws UnreadablePicture; ProblemError insufficient-storage
   */
  storePhoto(image: Buffer, isPublic: boolean): Promise<StoredPhoto>;
  /**
   * Renames a stored picture that everyone may see, so that shared caches may keep it. No row may name it yet.
   * @returns its new name
   */
  publish(name: string): Promise<string>;
  /**
   * Stores a picture once more.
   * @returns the name of the second one, which nobody knows yet, and which is not public
   * @throws ProblemError insufficient-storage
   */
  copy(name: string): Promise<string>;
  /** The WebP of a stored picture, or null when it has been removed in the meantime. */
  read(name: string, size: PictureSize): Promise<Buffer | null>;
  /** Every file of a stored picture, those of one that is set aside included; none when it is nowhere. */
  readFiles(name: string): Promise<MediaFile[]>;
  /** How large they are. */
  readFileSizes(name: string): Promise<MediaSize[]>;
  /** Takes a picture away from its address at once. Its files wait in the folder `.removed` to be deleted. */
  moveToTrash(name: string): Promise<void>;
  /** The names of what was set aside and is not deleted yet. */
  listTrash(): Promise<string[]>;
  /** Deletes what was set aside. */
  deleteFromTrash(name: string): Promise<void>;
  /** The names of everything that was stored before a point in time, pieces of cut-off uploads included. */
  listStoredBefore(before: Date): Promise<string[]>;
  /** The folder to serve `/media/{name}/{size}.webp` from. */
  readonly folder: string;
}

/** What was sent is not a picture that we take. */
export class UnreadablePicture extends Error {
  override readonly name = 'UnreadablePicture';
}

/**
 * Names of pictures that everyone may see begin with this, so that the header of an answer follows from the address alone, without a
 * query. All other pictures are served as private.
 */
const publicPrefix = 'public-';

/** Whether a shared cache may keep the picture. */
export const isPublicPicture = (name: string): boolean => name.startsWith(publicPrefix);

/** The path of a stored picture on our own origin; its content never changes. */
export const picturePath = (name: string, size: PictureSize): string => `/media/${name}/${size}.webp`;

// One picture at a time, on one core: the directory stays fast while a class registers.
sharp.concurrency(1);
sharp.cache(false);
// libvips reads dozens of formats, each a parser that a stranger's bytes could reach: all are shut but three.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp'] });

/** The browser sends 768 by 960; a client of its own may send what a phone's camera takes. More than that is a bomb. */
const maxInputPixels = 4096 * 4096;

/** Seconds that one step of the work on a picture may take; the largest one takes less than one. */
const stepTimeoutSeconds = 10;

/**
 * Keeps pictures on disk. What comes in is decoded, turned upright, a portrait is cropped to 4:5, stripped of everything
 * but its pixels (no place, no camera, no hidden second picture), and stored as WebP in the sizes that pages show.
 * @param reserve bytes of the disk that pictures leave free
 */
export function createMedia(dataDir: string, reserve: number): Media {
  const folder = join(dataDir, 'media');
  // Below the folder, which may be mounted from elsewhere: a move to somewhere beside it could not be made at once. Nothing
  // that begins with a dot is served (media-routes.ts).
  const trashFolder = join(folder, '.removed');
  for (const path of [folder, trashFolder]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 32 });

  /** Fills a folder beside its place and moves it there when it is whole. Its name is chance, so it cannot be guessed. */
  const storeFolder = (fill: (unfinished: string) => Promise<void>, isPublic = false): Promise<string> =>
    convertDiskErrors(async () => {
      const name = (isPublic ? publicPrefix : '') + randomBytes(16).toString('base64url');
      const unfinished = join(folder, `${name}.unfinished`);
      await mkdir(unfinished, { mode: 0o700 });
      try {
        await fill(unfinished);
        await rename(unfinished, join(folder, name));
        // The row that will name it is on disk before anybody is told; so is what it names.
        await syncFolder(folder);
      } catch (error) {
        // Where even this fails, the nightly clean-up finds it.
        await rm(unfinished, { recursive: true, force: true }).catch(() => undefined);
        throw error;
      }
      return name;
    });

  /** What is asked of every file of a picture, wherever it is. */
  async function eachFileOf<Found>(name: string, ask: (path: string) => Promise<Found>) {
    if (!isName(name)) return [];
    // Set aside between two looks, it is found by the second one: it is deleted while nobody makes a backup.
    return (
      (await eachIn(join(folder, name), ask).catch(nullIfMissing)) ??
      (await eachIn(join(trashFolder, name), ask).catch(nullIfMissing)) ??
      []
    );
  }

  return {
    folder,
    storePortrait: async (image) => {
      await requireDiskReserve(folder, reserve);
      return queue(async () => {
        const files = await encodePortrait(image);
        return storeFolder((unfinished) => writeAll(unfinished, files));
      });
    },
    storePhoto: async (image, isPublic) => {
      await requireDiskReserve(folder, reserve);
      return queue(async () => {
        const { files, ...size } = await encodePhoto(image);
        return { name: await storeFolder((unfinished) => writeAll(unfinished, files), isPublic), ...size };
      });
    },
    publish: async (name) => {
      if (isPublicPicture(name)) return name;
      await rename(join(folder, name), join(folder, publicPrefix + name));
      await syncFolder(folder);
      return publicPrefix + name;
    },
    // It takes a picture out of sight, and must not wait for room.
    copy: (name) =>
      storeFolder(async (unfinished) => {
        const files = await readdir(join(folder, name));
        for (const file of files) await writeDurably(join(unfinished, file), await readFile(join(folder, name, file)));
        await syncFolder(unfinished);
      }),
    read: (name, size) => readFile(join(folder, name, `${size}.webp`)).catch(nullIfMissing),
    readFiles: (name) => eachFileOf(name, async (path) => ({ content: await readFile(path) })),
    readFileSizes: (name) => eachFileOf(name, async (path) => ({ bytes: (await stat(path)).size })),
    moveToTrash: async (name) => {
      if (!isName(name)) return;
      await mkdir(trashFolder, { recursive: true, mode: 0o700 });
      await rename(join(folder, name), join(trashFolder, name)).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return;
        if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
        // It was there twice, as after a restore: a name has one content only.
        await rm(join(folder, name), { recursive: true, force: true });
      });
    },
    listTrash: async () => (await readdir(trashFolder).catch(nullIfMissing)) ?? [],
    deleteFromTrash: async (name) => {
      if (isName(name)) await rm(join(trashFolder, name), { recursive: true, force: true });
    },
    listStoredBefore: async (before) => {
      const names = (await readdir(folder)).filter(isName);
      const ages = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => null)));
      return names.filter((_, index) => (ages[index]?.mtime ?? before) < before);
    },
  };
}

const isName = (name: string) => /^[\w-]+(?:\.unfinished)?$/u.test(name);

async function eachIn<Found>(folder: string, ask: (path: string) => Promise<Found>) {
  const names = await readdir(folder);
  return Promise.all(names.toSorted().map(async (name) => ({ ...(await ask(join(folder, name))), name })));
}

/** How the files begin that we take; looked at before any decoder sees them. */
function isKnownFormat(image: Buffer): boolean {
  const begins = (text: string, at = 0) => image.subarray(at, at + text.length).toString('latin1') === text;
  return begins('\xFF\xD8\xFF') || begins('\x89PNG\r\n\x1A\n') || (begins('RIFF') && begins('WEBP', 8));
}

type Files = ReadonlyMap<PictureSize, Buffer>;

async function writeAll(folder: string, files: Files): Promise<void> {
  for (const [size, file] of files) await writeDurably(join(folder, `${size}.webp`), file);
  await syncFolder(folder);
}

/** Writes a file that is on disk when this is over. */
const writeDurably = (path: string, content: Buffer): Promise<void> => writeFile(path, content, { flush: true });

/** In pixels. */
interface Size {
  readonly width: number;
  readonly height: number;
}

interface Decoded {
  readonly pixels: () => Sharp;
  readonly size: Size;
}

/** How many times as long as wide a picture may be that is cropped to another shape. */
const maxAspectRatio = 3;

/**
 * The middle of a strip, and all of any other picture: one of 16,000 by 4 pixels would be blown up to thousands of millions of them
 * before it is cropped, minutes of work that no limit of time ends.
 */
function cropToMaxAspectRatio({ width: fullWidth, height: fullHeight }: Size): Size & { left: number; top: number } {
  const [width, height] = [
    Math.min(fullWidth, maxAspectRatio * fullHeight),
    Math.min(fullHeight, maxAspectRatio * fullWidth),
  ];
  return { width, height, left: Math.floor((fullWidth - width) / 2), top: Math.floor((fullHeight - height) / 2) };
}

/** Decodes once, in full and upright; whatever follows works on nothing but the pixels. */
async function decode(image: Buffer, shape: (pipeline: Sharp, size: Size) => Sharp): Promise<Decoded> {
  if (!isKnownFormat(image)) throw new UnreadablePicture('Neither JPEG nor PNG nor WebP.');
  try {
    const upright = sharp(image, { limitInputPixels: maxInputPixels, failOn: 'error' })
      .timeout({ seconds: stepTimeoutSeconds })
      .autoOrient();
    const { autoOrient } = await sharp(image, { limitInputPixels: maxInputPixels }).metadata();
    const pixels = await shape(upright, autoOrient)
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    return {
      pixels: () => sharp(pixels.data, { raw: pixels.info }).timeout({ seconds: stepTimeoutSeconds }),
      size: pixels.info,
    };
  } catch (error) {
    throw new UnreadablePicture((error as Error).message, { cause: error });
  }
}

/** Decodes a picture as a store would, and keeps nothing. @throws UnreadablePicture */
export async function checkPicture(image: Buffer): Promise<void> {
  await decode(image, (upright) => upright.resize(8, 8));
}

const toWebp = (pixels: Sharp): Promise<Buffer> => pixels.webp({ quality: 72, effort: 4 }).toBuffer();

async function encodePortrait(image: Buffer): Promise<Files> {
  const { pixels } = await decode(image, (upright, size) =>
    upright.extract(cropToMaxAspectRatio(size)).resize(768, 960, { fit: 'cover', position: 'attention' }),
  );
  const files = new Map<PictureSize, Buffer>();
  for (const size of portraitSizes) files.set(size, await toWebp(pixels().resize(size, (size * 5) / 4)));
  return files;
}

async function encodePhoto(image: Buffer): Promise<{ files: Files; width: number; height: number }> {
  const { pixels, size } = await decode(image, (upright) =>
    upright.resize(wholeSize, wholeSize, { fit: 'inside', withoutEnlargement: true }),
  );
  const { data, info } = await pixels().webp({ quality: 76, effort: 4 }).toBuffer({ resolveWithObject: true });
  const thumb = pixels()
    .extract(cropToMaxAspectRatio(size))
    .resize(thumbSize, (thumbSize * 2) / 3, { fit: 'cover', position: 'attention' });
  return {
    files: new Map<PictureSize, Buffer>([
      [wholeSize, data],
      [thumbSize, await toWebp(thumb)],
    ]),
    width: info.width,
    height: info.height,
  };
}

/** A stored picture as JPEG: address books of phones show nothing else. */
export const toJpeg = (webp: Buffer): Promise<Buffer> => sharp(webp).jpeg({ quality: 82 }).toBuffer();

/** What to answer to a file that is no picture. @param pointer the field that it came in */
export function notAnImageProblem(pointer: string, cause?: unknown): ProblemError {
  const message = 'This file cannot be read as a picture. Choose a JPEG, PNG or WebP.';
  return new ProblemError('not-an-image', { detail: message, errors: [{ pointer, message }], cause });
}

/** The bytes of a `data:image/…;base64,…` string. */
export const decodeDataUrl = (dataString: string): Buffer =>
  Buffer.from(dataString.slice(dataString.indexOf(',') + 1), 'base64');

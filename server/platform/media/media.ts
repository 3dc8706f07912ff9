import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { convertDiskErrors, requireDiskReserve } from '../storage/disk-reserve.ts';
import { nullIfMissing, syncFolder } from '../storage/files.ts';
import { ProblemError } from '../http/problem.ts';
import { createWorkQueue } from '../limits/work-queue.ts';
import { type Files, type PictureSizes, encodeDocument, encodePhoto, encodePortrait } from './encode-picture.ts';

export interface StoredPhoto {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

interface MediaFile {
  readonly name: string;
  readonly content: Buffer;
}

interface MediaSize {
  readonly name: string;
  readonly bytes: number;
}

export interface Media {
  /**
   * Stores a portrait.
   * @returns the name of the picture
   * @throws UnreadablePicture; ProblemError insufficient-storage
   */
  storePortrait(image: Buffer): Promise<string>;
  /**
   * Stores a photo.
   * @param isPublic whether guests may see it
   * @throws UnreadablePicture; ProblemError insufficient-storage
   */
  storePhoto(image: Buffer, isPublic: boolean): Promise<StoredPhoto>;
  /** Returns a photo of a document as WebP, without storing it. @throws UnreadablePicture */
  encodeDocument(image: Buffer): Promise<Buffer>;
  /**
   * Renames a picture so that shared caches may store it. The database must not contain its name yet.
   * @returns the new name
   */
  publish(name: string): Promise<string>;
  /**
   * Copies a stored picture.
   * @returns the new, random name, which is not public
   * @throws ProblemError insufficient-storage
   */
  copy(name: string): Promise<string>;
  read(name: string, size: number): Promise<Buffer | null>;
  /** Includes pictures in the trash. Empty when there are none. */
  readFiles(name: string): Promise<MediaFile[]>;
  readFileSizes(name: string): Promise<MediaSize[]>;
  /** Stops serving a picture. Moves its files to the folder `.removed` for later deletion. */
  moveToTrash(name: string): Promise<void>;
  listTrash(): Promise<string[]>;
  deleteFromTrash(name: string): Promise<void>;
  listStoredBefore(before: Date): Promise<string[]>;
  /** The folder with the files `{name}/{size}.webp`. */
  readonly folder: string;
}

/**
 * Prefix of the names of pictures that guests may see. The `Cache-Control` header follows from the name, without a
 * query. All other pictures are served as private.
 */
const publicPrefix = 'public-';

export const isPublicPicture = (name: string): boolean => name.startsWith(publicPrefix);

/**
 * Creates the store for pictures on disk. Pictures are decoded, rotated upright, and encoded as WebP in the given
 * sizes. All metadata is removed, such as location and camera.
 * @param reserveBytes disk space that uploads must leave free
 */
export function createMedia(dataDir: string, reserveBytes: number, sizes: PictureSizes): Media {
  const folder = join(dataDir, 'media');
  // A subfolder, because moving files atomically requires the same file system, and `media` may be a separate mount.
  // Paths that start with a dot are not served (media-routes.ts).
  const trashFolder = join(folder, '.removed');
  for (const path of [folder, trashFolder]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 32 });

  /**
   * Writes a folder under a temporary name and renames it when it is complete. The name is random, so it cannot be
   * guessed.
   */
  const storeFolder = (fill: (tempFolder: string) => Promise<void>, isPublic = false): Promise<string> =>
    convertDiskErrors(async () => {
      const name = (isPublic ? publicPrefix : '') + randomBytes(16).toString('base64url');
      const tempFolder = join(folder, `${name}.unfinished`);
      await mkdir(tempFolder, { mode: 0o700 });
      try {
        await fill(tempFolder);
        await rename(tempFolder, join(folder, name));
        // The files must be on disk before the database row with this name commits.
        await syncFolder(folder);
      } catch (error) {
        // If deleting fails too, the nightly clean-up deletes the folder.
        await rm(tempFolder, { recursive: true, force: true }).catch(() => undefined);
        throw error;
      }
      return name;
    });

  async function eachFileOf<Found>(name: string, ask: (path: string) => Promise<Found>) {
    if (!isName(name)) return [];
    // If the picture is moved to the trash between the two reads, the second one finds it. Backups prevent emptying the
    // trash.
    return (
      (await eachIn(join(folder, name), ask).catch(nullIfMissing)) ??
      (await eachIn(join(trashFolder, name), ask).catch(nullIfMissing)) ??
      []
    );
  }

  return {
    folder,
    storePortrait: async (image) => {
      await requireDiskReserve(folder, reserveBytes);
      return queue(async () => {
        const files = await encodePortrait(image, sizes.portrait);
        return storeFolder((tempFolder) => writeAll(tempFolder, files));
      });
    },
    storePhoto: async (image, isPublic) => {
      await requireDiskReserve(folder, reserveBytes);
      return queue(async () => {
        const { files, ...size } = await encodePhoto(image, sizes.photo);
        return { name: await storeFolder((tempFolder) => writeAll(tempFolder, files), isPublic), ...size };
      });
    },
    encodeDocument: (image) => queue(() => encodeDocument(image)),
    publish: async (name) => {
      if (isPublicPicture(name)) return name;
      await rename(join(folder, name), join(folder, publicPrefix + name));
      await syncFolder(folder);
      return publicPrefix + name;
    },
    // Does not check the disk reserve: copies are made to hide a picture, which must not fail.
    copy: (name) =>
      storeFolder(async (tempFolder) => {
        const files = await readdir(join(folder, name));
        for (const file of files) await writeDurably(join(tempFolder, file), await readFile(join(folder, name, file)));
        await syncFolder(tempFolder);
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
        // After a restore, the trash may already contain this picture. A name has only one content, so this copy can be
        // deleted.
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

async function writeAll(folder: string, files: Files): Promise<void> {
  for (const [size, file] of files) await writeDurably(join(folder, `${size}.webp`), file);
  await syncFolder(folder);
}

const writeDurably = (path: string, content: Buffer): Promise<void> => writeFile(path, content, { flush: true });

export function notAnImageProblem(pointer: string, cause?: unknown): ProblemError {
  const message = 'This file is not a supported picture. Choose a JPEG, PNG or WebP file.';
  return new ProblemError('not-an-image', { detail: message, errors: [{ pointer, message }], cause });
}

export const decodeDataUrl = (dataString: string): Buffer =>
  Buffer.from(dataString.slice(dataString.indexOf(',') + 1), 'base64');

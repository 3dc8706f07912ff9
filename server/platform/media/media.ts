import { randomBytes } from 'node:crypto';
import { ProblemError } from '../http/problem.ts';
import { createWorkQueue } from '../limits/work-queue.ts';
import { type Files, type PictureSizes, encodeDocument, encodePhoto, encodePortrait } from './encode-picture.ts';
import type { PictureFile, PictureStore } from './picture-store.ts';

export interface StoredPhoto {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

interface PictureContent {
  readonly name: string;
  readonly content: Buffer;
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
   * @throws Error with code ENOENT if it is missing; ProblemError insufficient-storage
   */
  copy(name: string): Promise<string>;
  read(name: string, size: number): Promise<Buffer | null>;
  /** Includes pictures in the trash. Empty when there are none. */
  readFiles(name: string): Promise<PictureContent[]>;
  readFileSizes(name: string): Promise<PictureFile[]>;
  /** Returns a file of a picture that is served: `384.webp`. */
  readServed(name: string, file: string): Promise<Buffer | null>;
  /** Stops serving a picture. Moves its files to the subfolder `.removed` for later deletion. */
  moveToTrash(name: string): Promise<void>;
  listTrash(): Promise<string[]>;
  deleteFromTrash(name: string): Promise<void>;
  listStoredBefore(before: Date): Promise<string[]>;
  readonly store: PictureStore;
}

/**
 * Prefix of the names of pictures that guests may see. The `Cache-Control` header follows from the name, without a
 * query. All other pictures are served as private.
 */
const publicPrefix = 'public-';

export const isPublicPicture = (name: string): boolean => name.startsWith(publicPrefix);

export const pictureFileNames = ({ portrait, photo }: PictureSizes): string[] =>
  [...portrait.widths, photo.thumbnailWidth, photo.maxLength].map(toFileName);

const toFileName = (size: number) => `${size}.webp`;

const inTrash = (name: string) => `.removed/${name}`;

/**
 * Pictures are decoded, rotated upright, and encoded as WebP in the given sizes. All metadata is removed, such as
 * location and camera.
 */
export function createMedia(store: PictureStore, sizes: PictureSizes): Media {
  const queue = createWorkQueue({ maxConcurrent: 1, maxWaiting: 32 });

  /** Stores files under a random name, which cannot be guessed. If it fails, no one knows the name. */
  async function storeNew(files: Files, isPublic = false): Promise<string> {
    const name = createName(isPublic);
    await deletingOnFailure(
      name,
      store.write(name, new Map(Array.from(files, ([size, file]) => [toFileName(size), file]))),
    );
    return name;
  }

  const deletingOnFailure = <Result>(name: string, writing: Promise<Result>): Promise<Result> =>
    writing.catch(async (error: unknown) => {
      // If deleting fails too, the nightly clean-up deletes the files.
      await store.delete(name).catch(() => undefined);
      throw error;
    });

  async function findFiles(name: string): Promise<{ place: string; files: PictureFile[] }> {
    if (!isName(name)) return { place: name, files: [] };
    // If the picture is moved to the trash between the two reads, the second one finds it. Backups prevent emptying the
    // trash.
    const [files, place] = [await store.listFiles(name), name];
    return files.length > 0 ? { place, files } : { place: inTrash(name), files: await store.listFiles(inTrash(name)) };
  }

  return {
    store,
    storePortrait: async (image) => {
      await store.requireSpace();
      return storeNew(await queue(() => encodePortrait(image, sizes.portrait)));
    },
    storePhoto: async (image, isPublic) => {
      await store.requireSpace();
      const { files, ...size } = await queue(() => encodePhoto(image, sizes.photo));
      return { name: await storeNew(files, isPublic), ...size };
    },
    encodeDocument: (image) => queue(() => encodeDocument(image)),
    publish: async (name) => {
      if (isPublicPicture(name)) return name;
      if (!(await store.move(name, publicPrefix + name))) throw missingPicture(name);
      return publicPrefix + name;
    },
    // Does not check the disk reserve: copies are made to hide a picture, which must not fail.
    copy: async (name) => {
      const copy = createName();
      if (!(await deletingOnFailure(copy, store.copy(name, copy)))) throw missingPicture(name);
      return copy;
    },
    read: (name, size) => store.read(name, toFileName(size)),
    readServed: async (name, file) => (isName(name) && /^\d{1,5}\.webp$/u.test(file) ? store.read(name, file) : null),
    readFiles: async (name) => {
      const { place, files } = await findFiles(name);
      const found = files.map(async (file) => {
        const content = (await store.read(place, file.name)) ?? (await store.read(inTrash(name), file.name));
        return content ? [{ name: file.name, content }] : [];
      });
      return (await Promise.all(found)).flat();
    },
    readFileSizes: async (name) => (await findFiles(name)).files,
    moveToTrash: async (name) => {
      if (isName(name)) await store.move(name, inTrash(name));
    },
    listTrash: async () => (await store.listNames('.removed')).map(({ name }) => name),
    deleteFromTrash: async (name) => {
      if (isName(name)) await store.delete(inTrash(name));
    },
    listStoredBefore: async (before) =>
      (await store.listNames()).flatMap(({ name, writtenAt }) => (isName(name) && writtenAt < before ? [name] : [])),
  };
}

const createName = (isPublic = false) => (isPublic ? publicPrefix : '') + randomBytes(16).toString('base64url');

/** Also matches the names of incomplete pictures that earlier versions left. File systems refuse very long names. */
const isName = (name: string) => /^[\w-]{1,64}(?:\.unfinished)?$/u.test(name);

const missingPicture = (name: string) =>
  Object.assign(new Error(`The picture ${name} is missing.`), { code: 'ENOENT' });

export function notAnImageProblem(pointer: string, cause?: unknown): ProblemError {
  const message = 'This file is not a supported picture. Choose a JPEG, PNG or WebP file.';
  return new ProblemError('not-an-image', { detail: message, errors: [{ pointer, message }], cause });
}

export const decodeDataUrl = (dataString: string): Buffer =>
  Buffer.from(dataString.slice(dataString.indexOf(',') + 1), 'base64');

import { randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { convertDiskErrors, requireDiskReserve } from './disk-reserve.ts';
import type { FileStore } from './file-store.ts';
import type { ObjectClient } from './object-client.ts';

const rangeBytes = 4_000_000;

/**
 * Stores files in a subfolder of a bucket, through temporary files on the local disk.
 * @param folder starts with a dot, so that no file counts as a picture
 * @param temporaryFolder where temporary files are
 * @param reserveBytes disk space that temporary files must leave free
 */
export function createFileBucket(
  { send, list }: ObjectClient,
  folder: string,
  temporaryFolder: string,
  reserveBytes: number,
): FileStore {
  const keyOf = (name: string) => `${folder}/${name}`;

  async function deleteObject(key: string): Promise<void> {
    await send({ method: 'DELETE', key, canBeMissing: true });
  }

  async function* readRanges(key: string, bytes: number) {
    for (let start = 0; start < bytes; start += rangeBytes) {
      const end = Math.min(start + rangeBytes, bytes);
      const { content } = await send({ method: 'GET', key, headers: { range: `bytes=${start}-${end - 1}` } });
      if (content.length !== end - start) throw new Error(`The object store returned another range of ${key}.`);
      yield content;
    }
  }

  async function read(name: string) {
    const { status, headers } = await send({ method: 'HEAD', key: keyOf(name), canBeMissing: true });
    return status === 404 ? null : readRanges(keyOf(name), Number(headers.get('content-length')));
  }

  /** Writes an unlinked temporary file, so that a crash leaves nothing on the disk. */
  async function writeTemporary(content: AsyncIterable<Buffer | string>): Promise<FileHandle> {
    await requireDiskReserve(temporaryFolder, reserveBytes);
    return convertDiskErrors(async () => {
      const path = join(temporaryFolder, `${randomUUID()}.unfinished`);
      const file = await open(path, 'wx+', 0o600);
      try {
        await rm(path);
        await file.writeFile(content);
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    });
  }

  return {
    write: async (content, chooseName) => {
      await using file = await writeTemporary(content);
      const key = keyOf(await chooseName());
      await send({ method: 'PUT', key, body: await openAsBlob(pathOf(file)) });
    },
    open: async (name) => {
      const content = await read(name);
      return content && Readable.from(content, { objectMode: false });
    },
    openLocally: async (name) => {
      const content = await read(name);
      if (!content) return null;
      const file = await writeTemporary(content);
      return { path: pathOf(file), [Symbol.asyncDispose]: () => file.close() };
    },
    delete: (name) => deleteObject(keyOf(name)),
    deleteOthers: async (isKept) => {
      for await (const { key } of list(keyOf(''))) if (!isKept(key.slice(keyOf('').length))) await deleteObject(key);
    },
  };
}

const pathOf = (file: FileHandle): string => `/dev/fd/${file.fd}`;

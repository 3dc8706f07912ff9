import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { Failure } from '../support/command.ts';
import { inWords } from '../support/file-errors.ts';
import { End, Manifest, backupFormat, entryNames } from './manifest.ts';

/** What takes the entries between the manifest and the end, one after another. */
export interface Reader {
  readonly entry?: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
  /** Told of the bytes of the file that have been read. */
  readonly read?: (bytes: number) => void;
}

/**
 * Reads a backup from its first byte to its last, and checks all of it: one that returns has met a whole one.
 * @throws Failure when it is damaged, cut off, of a newer version, or no backup at all
 */
export async function readBackup(path: string, { entry, read }: Reader): Promise<Manifest> {
  const digest = createHash('sha256');
  let manifest: Manifest | undefined;
  let end: End | undefined;
  let entries = 0;
  // Not a fault of the file: a file is checked without `entry` first.
  let theirs: unknown;
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  file.on('data', (chunk) => read?.(chunk.length));
  const tar = extract();
  const passing = pipeline(file, createGunzip(), tar);
  passing.catch(() => undefined);
  try {
    for await (const part of tar as unknown as AsyncIterable<Part>) {
      const { name } = part.header;
      if (end) throw new Error('something follows its end');
      if (name === 'end.json') {
        end = End.parse(JSON.parse(await textOf(part)));
        continue;
      }
      entries++;
      const hash = createHash('sha256');
      if (!manifest) {
        if (name !== 'manifest.json') throw new Failure(`${path} is not a backup of this product.`);
        const json = await textOf(part);
        hash.update(json);
        manifest = readManifest(path, json);
      } else {
        if (!Object.values(entryNames).some((pattern) => pattern.test(name)))
          throw new Error('it contains an unexpected entry');
        const content = hashing(part, hash);
        await entry?.(name, content).catch((error: unknown) => {
          theirs = error;
          throw error;
        });
        // What nobody wanted has to be read as well.
        for await (const _ of content);
      }
      digest.update(`${hash.digest('hex')}  ${name}\n`);
    }
    await passing;
    if (!manifest || !end) throw new Error('its end is missing');
    if (end.entries !== entries || end.digest !== digest.digest('hex')) throw new Error('its checksum is wrong');
    return manifest;
  } catch (error) {
    tar.destroy();
    await passing.catch(() => undefined);
    if (theirs !== undefined) throw theirs;
    // A flipped bit can change the name of the first entry or the format.
    if (error instanceof Failure && (await isIntactGzip(path))) throw error;
    const readable = inWords(error, `${path} cannot be read`);
    if (readable !== error) throw readable;
    throw new Failure(`${path} is damaged or was cut off, and nothing of it is used. Take another backup.`, {
      cause: error,
    });
  }
}

/** Returns whether the checksum at the end of the compressed file fits what is in it. */
const isIntactGzip = (path: string): Promise<boolean> =>
  pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const _ of chunks);
  }).then(
    () => true,
    () => false,
  );

type Part = AsyncIterable<Buffer> & { readonly header: { readonly name: string; readonly size: number } };

function readManifest(path: string, json: string): Manifest {
  const { format } = JSON.parse(json) as { format?: unknown };
  if (typeof format !== 'number') throw new Failure(`${path} is not a backup of this product.`);
  if (format > backupFormat) {
    throw new Failure(`${path} was made by a newer version of the product. Install that version, and restore with it.`);
  }
  return Manifest.parse(JSON.parse(json));
}

async function* hashing(part: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of part) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Manifests are small. */
const maxTextBytes = 16 * 1024 * 1024;

async function textOf(part: Part): Promise<string> {
  if (part.header.size > maxTextBytes) throw new Error('its description is too long');
  return text(part);
}

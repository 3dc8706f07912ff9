import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { Failure } from '../support/command.ts';
import { describeFileError } from '../support/file-errors.ts';
import { End, Manifest, backupFormat, entryNames } from './manifest.ts';

export interface BackupReader {
  /** Handles the entries between manifest and checksum, one after another. */
  readonly onEntry?: (name: string, content: AsyncIterable<Buffer>) => Promise<void>;
  readonly onBytesRead?: (bytes: number) => void;
}

/**
 * Reads a complete backup and verifies its checksums.
 * @throws Failure when the file is damaged, truncated, of a newer version, or not a backup
 */
export async function readBackup(path: string, { onEntry, onBytesRead }: BackupReader): Promise<Manifest> {
  const digest = createHash('sha256');
  let manifest: Manifest | undefined;
  let end: End | undefined;
  let entries = 0;
  // An error of `onEntry` does not mean that the file is damaged.
  let handlerError: unknown;
  const file = createReadStream(path, { highWaterMark: 1024 * 1024 });
  file.on('data', (chunk) => onBytesRead?.(chunk.length));
  const tar = extract();
  const reading = pipeline(file, createGunzip(), tar);
  reading.catch(() => undefined);
  try {
    for await (const part of tar as unknown as AsyncIterable<TarEntry>) {
      const { name } = part.header;
      if (end) throw new Error('there are entries after the checksum');
      if (name === 'end.json') {
        end = End.parse(JSON.parse(await readText(part)));
        continue;
      }
      entries++;
      const hash = createHash('sha256');
      if (!manifest) {
        if (name !== 'manifest.json') throw new Failure(`${path} is not a backup of this archive software.`);
        const json = await readText(part);
        hash.update(json);
        manifest = readManifest(path, json);
      } else {
        if (!Object.values(entryNames).some((pattern) => pattern.test(name)))
          throw new Error('it contains an unexpected entry');
        const content = hashChunks(part, hash);
        await onEntry?.(name, content).catch((error: unknown) => {
          handlerError = error;
          throw error;
        });
        // Read the rest of the entry for its checksum.
        for await (const _ of content);
      }
      digest.update(`${hash.digest('hex')}  ${name}\n`);
    }
    await reading;
    if (!manifest || !end) throw new Error('the checksum is missing');
    if (end.entries !== entries || end.digest !== digest.digest('hex')) throw new Error('the checksum does not match');
    return manifest;
  } catch (error) {
    tar.destroy();
    await reading.catch(() => undefined);
    if (handlerError !== undefined) throw handlerError;
    // A flipped bit can change the first entry's name or the format number.
    if (error instanceof Failure && (await isIntactGzip(path))) throw error;
    const readable = describeFileError(error, `${path} cannot be read`);
    if (readable !== error) throw readable;
    throw new Failure(`${path} is damaged or truncated, and was not used. Use another backup.`, {
      cause: error,
    });
  }
}

const isIntactGzip = (path: string): Promise<boolean> =>
  pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
    for await (const _ of chunks);
  }).then(
    () => true,
    () => false,
  );

type TarEntry = AsyncIterable<Buffer> & { readonly header: { readonly name: string; readonly size: number } };

function readManifest(path: string, json: string): Manifest {
  const { format } = JSON.parse(json) as { format?: unknown };
  if (typeof format !== 'number') throw new Failure(`${path} is not a backup of this archive software.`);
  if (format > backupFormat) {
    throw new Failure(`${path} was created by a newer version. Install that version, and restore the backup with it.`);
  }
  return Manifest.parse(JSON.parse(json));
}

async function* hashChunks(part: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of part) {
    hash.update(chunk);
    yield chunk;
  }
}

const maxTextBytes = 16 * 1024 * 1024;

async function readText(part: TarEntry): Promise<string> {
  if (part.header.size > maxTextBytes) throw new Error('the manifest is too large');
  return text(part);
}

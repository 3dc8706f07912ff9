import { open, type FileHandle } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { RosterFileError } from './roster-file.ts';

interface ZipEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  /** 0: stored, 8: deflated. */
  readonly method: number;
  readonly crc: number;
  readonly packedSize: number;
  readonly size: number;
  readonly headerOffset: number;
}

export interface Zip {
  readonly path: string;
  readonly entries: ReadonlyMap<string, ZipEntry>;
}

/** Maximum unpacked size. A workbook of a million rows has about 500 MB of XML. */
const maxUnpackedBytes = 800 * 1024 * 1024;
const maxEntries = 10_000;

const damaged = () =>
  new RosterFileError(
    'This file is damaged or incomplete, probably because a download or a copy stopped early. Get the file again.',
  );
const tooLarge = () =>
  new RosterFileError(
    'This file unpacks to more than 800 MB, which no roster needs. Save the sheet as “CSV UTF-8” and upload that file.',
  );

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const headerSignature = 0x04034b50;

/**
 * Reads the directory of a zip.
 * @throws RosterFileError if the file is damaged, encrypted, or declares more than 800 MB of content
 */
export async function openZip(path: string): Promise<Zip> {
  const file = await open(path);
  try {
    return { path, entries: await readDirectory(file) };
  } finally {
    await file.close();
  }
}

async function readDirectory(file: FileHandle): Promise<Map<string, ZipEntry>> {
  const { size } = await file.stat();
  // The end record has 22 bytes and a comment of at most 65,535.
  const tail = await readBytes(file, Math.max(0, size - 65_557), Math.min(size, 65_557));
  const end = tail.lastIndexOf(Buffer.from('PK\u0005\u0006'));
  if (end < 0 || end + 22 > tail.length || tail.readUInt32LE(end) !== endSignature) throw damaged();
  const count = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const offset = tail.readUInt32LE(end + 16);
  // Larger zips (ZIP64) have 0xFFFFFFFF here.
  if (offset + length > size) throw damaged();
  if (count > maxEntries) throw tooLarge();
  const entries = parseDirectory(await readBytes(file, offset, length), count);
  if ([...entries.values()].some((entry) => entry.isEncrypted))
    throw new RosterFileError('This file is protected by a password. Save it without a password and upload it again.');
  const unpacked = [...entries.values()].reduce((sum, entry) => sum + entry.size, 0);
  if (unpacked > maxUnpackedBytes) throw tooLarge();
  return entries;
}

function parseDirectory(directory: Buffer, count: number): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  for (let index = 0; index < count; index++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== entrySignature) throw damaged();
    const nameLength = directory.readUInt16LE(at + 28);
    const name = directory.toString('utf8', at + 46, at + 46 + nameLength).replaceAll('\\', '/');
    entries.set(name, {
      name,
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      headerOffset: directory.readUInt32LE(at + 42),
    });
    at += 46 + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
}

async function readBytes(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/**
 * Unpacks one file of a zip as a stream of chunks. Checks size and checksum.
 * @throws RosterFileError if the content is damaged or larger than declared
 */
export async function* readEntry(zip: Zip, entry: ZipEntry): AsyncGenerator<Buffer> {
  if (entry.method !== 0 && entry.method !== 8) throw damaged();
  const start = await findContent(zip.path, entry);
  if (entry.packedSize === 0) {
    if (entry.size > 0) throw damaged();
    return;
  }
  const packed = createReadStream(zip.path, { start, end: start + entry.packedSize - 1 });
  // The callback keeps the error from being thrown twice: the loop below throws it too.
  const content = entry.method === 8 ? pipeline(packed, createInflateRaw({ chunkSize: 65_536 }), () => {}) : packed;
  let bytes = 0;
  let crc = 0;
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      // Stops a zip bomb that declares a small size.
      if (bytes > entry.size) throw damaged();
      crc = crc32(chunk, crc);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && /^(?:Z_|ERR_STREAM_PREMATURE)/u.test(String(error.code)))
      throw damaged();
    throw error;
  }
  if (bytes !== entry.size || crc !== entry.crc) throw damaged();
}

async function findContent(path: string, entry: ZipEntry): Promise<number> {
  const file = await open(path);
  try {
    const header = await readBytes(file, entry.headerOffset, 30);
    if (header.length < 30 || header.readUInt32LE(0) !== headerSignature) throw damaged();
    return entry.headerOffset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  } finally {
    await file.close();
  }
}

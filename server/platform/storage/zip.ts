import { Readable } from 'node:stream';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

/** One file of a zip. */
export interface ZipFile {
  /** With `/` between folders. */
  readonly path: string;
  readonly content: string | Uint8Array;
}

/** Packed already: to deflate it would cost time and save nothing. */
const isCompressed = (path: string) => /\.(?:webp|jpe?g|png|zip)$/iu.test(path);

/**
 * Makes a zip while it is read: the next file is asked for when the one before has gone out, so that never more than one of
 * them is in memory.
 */
export const createZip = (files: AsyncIterable<ZipFile>): Readable =>
  Readable.from(chunksOf(files), { objectMode: false });

async function* chunksOf(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  const made = () => {
    const now = chunks;
    chunks = [];
    return now;
  };
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    if (chunk.length > 0) chunks.push(chunk);
  });
  for await (const { path, content } of files) {
    const file = isCompressed(path) ? new ZipPassThrough(path) : new ZipDeflate(path, { level: 6 });
    zip.add(file);
    file.push(typeof content === 'string' ? new TextEncoder().encode(content) : content, true);
    yield* made();
  }
  zip.end();
  yield* made();
}

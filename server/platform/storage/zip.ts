import { Readable } from 'node:stream';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

export interface ZipFile {
  readonly path: string;
  readonly content: string | Uint8Array;
}

const isCompressed = (path: string) => /\.(?:webp|jpe?g|png|zip)$/iu.test(path);

/** Requests the next file after the previous one has been read, so that memory contains only one file. */
export const createZip = (files: AsyncIterable<ZipFile>): Readable =>
  Readable.from(chunksOf(files), { objectMode: false });

async function* chunksOf(files: AsyncIterable<ZipFile>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  const takeChunks = () => {
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
    yield* takeChunks();
  }
  zip.end();
  yield* takeChunks();
}

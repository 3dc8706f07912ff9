import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** Writes to a stream with backpressure. An error of the stream rejects the next `write`, or `end`. */
export function createStreamWriter(stream: Writable) {
  const done = finished(stream);
  done.catch(() => undefined);
  return {
    write: async (chunk: string | Buffer): Promise<void> => {
      if (!stream.write(chunk)) await Promise.race([once(stream, 'drain'), done]);
    },
    end: async (): Promise<void> => {
      stream.end();
      await done;
    },
  };
}

import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import type * as z from 'zod/mini';

/** A line of a file of JSON lines; the first one is number 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
  /** Where it begins in the file, in bytes. */
  readonly start: number;
  /** In bytes, without its end. */
  readonly length: number;
}

/** Longer than any line that we write: a file without line breaks does not fill the memory. */
const longestLine = 1024 * 1024;

/** The lines of a file that have something on them; none where there is no file. */
export async function* linesIn(path: string): AsyncGenerator<Line> {
  let rest: Buffer = Buffer.alloc(0);
  let start = 0;
  let number = 0;
  const lineOf = (bytes: Buffer): Line => {
    const line = {
      number: ++number,
      text: bytes.toString('utf8').replace(/^\uFEFF/u, ''),
      start,
      length: bytes.length,
    };
    start += bytes.length + 1;
    return line;
  };
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      rest = Buffer.concat([rest, chunk]);
      let from = 0;
      for (let at = rest.indexOf(10); at !== -1; at = rest.indexOf(10, from)) {
        const line = lineOf(rest.subarray(from, at));
        from = at + 1;
        if (line.text.trim() !== '') yield line;
      }
      rest = rest.subarray(from);
      if (rest.length > longestLine) throw new Error(`Line ${number + 1} of ${path} is too long.`);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const last = lineOf(rest);
  if (last.text.trim() !== '') yield last;
}

/** @returns what the line says, or a sentence about what is wrong with it */
export function readLine<Schema extends z.ZodMiniType>(
  schema: Schema,
  line: string,
): { readonly value: z.output<Schema> } | { readonly problem: string } {
  try {
    const { data, error } = schema.safeParse(JSON.parse(line));
    if (!error) return { value: data };
    const parts = error.issues.map(({ path, message }) => `/${path.join('/')} (${message})`);
    return { problem: `Not of the right form: ${parts.join(', ')}.` };
  } catch {
    return { problem: 'This is not JSON.' };
  }
}

/** Reads a line of a file again. */
export const readAgain = (path: string, { start, length }: Pick<Line, 'start' | 'length'>): Promise<string> =>
  text(createReadStream(path, { start, end: start + length - 1 }));

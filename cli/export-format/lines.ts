import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import type * as z from 'zod/mini';

export interface Line {
  readonly number: number;
  readonly text: string;
  /** Offset in the file, in bytes. */
  readonly start: number;
  /** Length in bytes, without the line break. */
  readonly length: number;
}

/** Maximum bytes of a line, to limit memory use for files without line breaks. Exports have shorter lines. */
const maxLineBytes = 1024 * 1024;

/** Reads the lines of a file, without blank ones. A missing file has no lines. */
export async function* readLines(path: string): AsyncGenerator<Line> {
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
      if (rest.length > maxLineBytes) throw new Error(`Line ${number + 1} of ${path} is too long.`);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const last = lineOf(rest);
  if (last.text.trim() !== '') yield last;
}

/** Parses a line. @returns its value, or a sentence that describes the problem */
export function parseLine<Schema extends z.ZodMiniType>(
  schema: Schema,
  line: string,
): { readonly value: z.output<Schema> } | { readonly problem: string } {
  try {
    const { data, error } = schema.safeParse(JSON.parse(line));
    if (!error) return { value: data };
    const parts = error.issues.map(({ path, message }) => `/${path.join('/')} (${message})`);
    return { problem: `Invalid format: ${parts.join(', ')}.` };
  } catch {
    return { problem: 'Not valid JSON.' };
  }
}

export const rereadLine = (path: string, { start, length }: Pick<Line, 'start' | 'length'>): Promise<string> =>
  text(createReadStream(path, { start, end: start + length - 1 }));

import * as z from 'zod/mini';
import { ProblemError } from './problem.ts';

/*
 * Pages by key: a cursor says after which key the next page starts. To whoever reads the list it is a word without
 * meaning; it holds nothing that the page itself did not show.
 */

/** A time in a key: whole microseconds since 1970, up to the year 2286. More would be more than PostgreSQL can add to a time. */
export const Microseconds = z.string().check(z.regex(/^\d{1,16}$/u));

export const writeCursor = (key: readonly unknown[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');

/** @param schema the key's form @throws ProblemError malformed-request for a cursor that is not ours */
export function readCursor<Schema extends z.ZodMiniType>(text: string, schema: Schema): z.output<Schema> {
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    if (parsed.success) return parsed.data;
  } catch {
    // Not ours; the answer is the same.
  }
  throw new ProblemError('malformed-request', {
    errors: [{ pointer: '/after', message: 'Start again from the first page.' }],
  });
}

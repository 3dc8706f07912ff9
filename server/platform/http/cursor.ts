import * as z from 'zod/mini';
import { ProblemError } from './problem.ts';

/*
 * Keyset pagination: a cursor contains the key after which the next page starts. Clients treat it as opaque. It is not encrypted, so it
 * contains only values that the recipient may know.
 */

/** A time in a cursor, in microseconds since 1970. At most 16 digits (year 2286), because PostgreSQL cannot add much more to a time. */
export const Microseconds = z.string().check(z.regex(/^\d{1,16}$/u));

/** Encodes a key as a cursor. */
export const writeCursor = (key: readonly unknown[]): string => Buffer.from(JSON.stringify(key)).toString('base64url');

/** Decodes a cursor. @throws ProblemError malformed-request when the key does not match the schema */
export function readCursor<Schema extends z.ZodMiniType>(text: string, schema: Schema): z.output<Schema> {
  try {
    const parsed = schema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    if (parsed.success) return parsed.data;
  } catch {
    // The cursor is not JSON. The error below applies.
  }
  throw new ProblemError('malformed-request', {
    errors: [{ pointer: '/after', message: 'The cursor is not valid. Start again from the first page.' }],
  });
}

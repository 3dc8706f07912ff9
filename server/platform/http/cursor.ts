import { type RawBuilder, sql } from 'kysely';
import * as z from 'zod/mini';
import { ProblemError } from './problem.ts';

/*
 * Keyset pagination: a cursor contains the key after which the next page starts. Clients treat it as opaque. It is not
 * encrypted, so it contains only values that the recipient may know.
 */

/**
 * A time in a cursor, in microseconds since 1970. At most 16 digits (year 2286), because PostgreSQL cannot add much
 * more to a time.
 */
export const Microseconds = z.string().check(z.regex(/^\d{1,16}$/u));

/**
 * Returns the SQL of a time column as `Microseconds`. PostgreSQL stores times in microseconds, a `Date` has only
 * milliseconds.
 */
export const toMicroseconds = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint::text`;

export const toTime = (placeholder: string): string =>
  `('epoch'::timestamptz + ${placeholder}::bigint * interval '1 microsecond')`;

export const timeOf = (microseconds: string): RawBuilder<Date> =>
  sql`('epoch'::timestamptz + ${microseconds}::bigint * interval '1 microsecond')`;

/**
 * Cuts rows to a page. A query finds one row more than fits, which shows that another page exists: it starts after the
 * key of the last row.
 */
export function cutPage<Row>(
  found: readonly Row[],
  limit: number,
  keyOf: (last: Row) => readonly unknown[],
): { rows: Row[]; next: string | null } {
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: found.length > limit && last ? writeCursor(keyOf(last)) : null };
}

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

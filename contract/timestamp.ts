import * as z from 'zod/mini';

/** A moment of a response: a `Date` on the server, an ISO 8601 time in UTC on the wire. */
export const Timestamp = z.codec(z.date(), z.iso.datetime(), {
  decode: (date) => date.toISOString(),
  encode: (text) => new Date(text),
});

import { createHash } from 'node:crypto';
import { Id } from '#contract/fields.ts';

/** Fixed random UUID, so that the same Firebase uid maps to the same id in every archive. */
const namespace = '2f1c9d0e-6c1b-5d3a-9a57-7f0f5a3b8d11';

/** Derives a stable id from a foreign one (UUID version 8, RFC 9562). Returns a UUID in lower case. */
export function createIdFor(foreign: string): string {
  const own = Id.safeParse(foreign.toLowerCase());
  if (own.success) return own.data;
  const bytes = createHash('sha256')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(foreign)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/u, '$1-$2-$3-$4-$5');
}

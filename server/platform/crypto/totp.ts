import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * Time-based one-time passwords (RFC 6238) as authenticator apps have them: SHA-1, six digits, thirty seconds. Twenty
 * lines of our own on node:crypto, held by the vectors of the RFC; a library would be longer to read.
 */

const stepSeconds = 30;
const digits = 6;

/** As long as the hash (RFC 4226, section 4, requirement 6). */
const secretBytes = 20;

export const newTotpSecret = (): Buffer => randomBytes(secretBytes);

/** The code of one step (RFC 4226, section 5.3). */
export function totpCode(secret: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** length).padStart(length, '0');
}

/** Which step a moment lies in. @param time milliseconds */
export const totpStep = (time = Date.now()): number => Math.floor(time / 1000 / stepSeconds);

/**
 * The step that a code is of: this one, or one before or after it, for clocks that are a little off.
 * @param after the step that was used last: neither its code nor an older one works again. Should the clock be before it, because it
 *   was ahead then, that says nothing
 * @param used steps whose codes do not work again, whatever the clock has done since
 * @returns null when the code is of none of them
 */
export function findTotpStep(
  secret: Buffer,
  code: string,
  after: number,
  now = totpStep(),
  used: readonly number[] = [],
): number | null {
  const isNew = (step: number) => (step > after || after > now + 1) && !used.includes(step);
  const typed = Buffer.from(code);
  let found: number | null = null;
  // All three are compared, whichever it is.
  for (const step of [now - 1, now, now + 1]) {
    const expected = Buffer.from(totpCode(secret, step));
    if (typed.length === expected.length && timingSafeEqual(typed, expected) && isNew(step)) found ??= step;
  }
  return found;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 (RFC 4648, section 6) without padding, as apps read it. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/gu) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** What the QR code says; apps show issuer and account. */
export function otpauthUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/*
 * Time-based one-time passwords (RFC 6238) with the parameters of authenticator apps: SHA-1, six digits, thirty
 * seconds. Implemented with node:crypto and tested with the vectors of the RFC, because a library would be longer than
 * this code.
 */

const stepSeconds = 30;
const digits = 6;

/** The length of a SHA-1 hash (RFC 4226, section 4, requirement 6). */
const secretBytes = 20;

export const newTotpSecret = (): Buffer => randomBytes(secretBytes);

/** Returns the code of a time step (RFC 4226, section 5.3). */
export function totpCode(secret: Buffer, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7f_ff_ff_ff) % 10 ** length).padStart(length, '0');
}

/** Returns the time step of a moment. @param time in milliseconds since 1970 */
export const totpStep = (time = Date.now()): number => Math.floor(time / 1000 / stepSeconds);

/**
 * Finds the time step of a code among the current, the previous and the next step, because clocks differ slightly.
 * @param after the last used step: its code and older codes are refused. Ignored if the step is in the future, because
 * then the clock was ahead when the code was used
 * @param used steps whose codes are refused in any case
 * @returns the step, or null when the code is not valid
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
  // Compares all three in constant time.
  for (const step of [now - 1, now, now + 1]) {
    const expected = Buffer.from(totpCode(secret, step));
    if (typed.length === expected.length && timingSafeEqual(typed, expected) && isNew(step)) found ??= step;
  }
  return found;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Encodes bytes in Base32 without padding (RFC 4648, section 6), as authenticator apps expect. */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/gu) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

export function otpauthUri(secret: Buffer, issuer: string, account: string): string {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://totp/${label}?secret=${base32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=${digits}&period=${stepSeconds}`;
}

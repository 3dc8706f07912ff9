import { randomInt } from 'node:crypto';
import { hashToken } from '../platform/crypto/tokens.ts';

/** Digits of Crockford's base32: without I, L, O and U, which people confuse with other characters. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Length of a code in characters of 5 bits each. */
const codeChars = 10;

/**
 * Creates a code of 50 random bits, for slips and mails. Only its hash is stored.
 * @param accountId the only account that can use the code; default: any
 */
export function newMembershipCode(accountId = ''): { code: string; hash: Buffer } {
  const code = Array.from({ length: codeChars }, () => digits[randomInt(digits.length)]).join('');
  return { code, hash: hashToken(code + accountId) };
}

/** Returns the code in two groups of five characters, as slips and mails show it. */
export const groupMembershipCode = (code: string): string => `${code.slice(0, 5)}-${code.slice(5)}`;

/**
 * Returns the hash of a typed code. Accepts lower case, spaces and hyphens, O for 0, and I and L for 1.
 * @param accountId as for `newMembershipCode`
 * @returns null if the text is not a code
 */
export function hashMembershipCode(typed: string, accountId = ''): Buffer | null {
  const code = typed
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/gu, '1');
  return code.length === codeChars && [...code].every((character) => digits.includes(character))
    ? hashToken(code + accountId)
    : null;
}

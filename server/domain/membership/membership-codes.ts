import { createHmac, randomInt } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openKey } from '#server/platform/crypto/installation-key.ts';

/** Digits of Crockford's base32: without I, L, O and U, which people confuse with other characters. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

const codeChars = 12;

export interface MembershipCodes {
  /**
   * Creates a code of 60 random bits. Only its hash is stored.
   * @param accountId the only account that can use the code; default: any
   */
  create(accountId?: string): Promise<{ code: string; hash: Buffer }>;
  /**
   * Returns the hash of a typed code. Accepts lower case, spaces and hyphens, O for 0, and I and L for 1.
   * @param accountId as for `create`
   * @returns null if the text is not a code
   */
  hash(typed: string, accountId?: string): Promise<Buffer | null>;
}

/**
 * Creates the codes of an archive. Their hashes are HMACs with a key in the data folder, so a stolen database does not
 * allow trying all codes.
 * The key is not derived from `installation.key`, because a restore keeps that file if the data folder has one. Files
 * in `secrets` are always restored.
 */
export function createMembershipCodes(dataDir: string): MembershipCodes {
  const path = join(dataDir, 'secrets', 'membership-codes.key');
  const key = openKey(path);
  let derivedKey: Buffer | undefined;
  const hashCode = async (code: string, accountId = '') => {
    if (!derivedKey) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      derivedKey = await key.derive('membership codes');
    }
    return createHmac('sha256', derivedKey)
      .update(code + accountId)
      .digest();
  };
  return {
    create: async (accountId) => {
      const code = Array.from({ length: codeChars }, () => digits[randomInt(digits.length)]).join('');
      return { code, hash: await hashCode(code, accountId) };
    },
    hash: async (typed, accountId) => {
      const code = typed
        .normalize('NFKC')
        .toUpperCase()
        .replaceAll(/[\s\p{Pd}]/gu, '')
        .replaceAll('O', '0')
        .replaceAll(/[IL]/gu, '1');
      return code.length === codeChars && [...code].every((character) => digits.includes(character))
        ? hashCode(code, accountId)
        : null;
    },
  };
}

export const groupMembershipCode = (code: string): string => code.replaceAll(/.{4}(?=.)/gu, '$&-');

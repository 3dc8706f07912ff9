import { createHash, randomBytes } from 'node:crypto';

/**
 * Returns the SHA-256 hash of a token. Only hashes are stored, so that a copy of the database contains no valid tokens.
 */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** Creates a token of 32 random bytes in base64url, for cookies and mailed links. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

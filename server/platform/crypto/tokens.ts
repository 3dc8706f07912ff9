import { createHash, randomBytes } from 'node:crypto';

/** SHA-256 of a token: what is stored, so that a copy of the database opens nothing. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

/** 32 random bytes in base64url, for cookies and mailed links. */
export function newToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url');
  return { token, hash: hashToken(token) };
}

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openKeyFile } from './key-file.ts';

/**
 * Seals what the server has to read again, unlike a password: with AES-256-GCM, and a key that lies in the data folder
 * and not in the database. A stolen dump of the database, the likelier loss, then opens nothing by itself.
 */
export interface SecretBox {
  /** Makes the key where there is none: at the first start, so that it can be copied before anybody needs it. Nobody else makes one. */
  ensureKey(): Promise<void>;
  /** @param context whose it is; it opens only for the same */
  seal(secret: Buffer, context: string): Promise<Buffer>;
  /** @throws Error when it was sealed with another key, for somebody else, or has been changed */
  open(sealed: Buffer, context: string): Promise<Buffer>;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Where the key is. */
export const secretKeyPath = (dataDir: string): string => join(dataDir, 'second-factor.key');

/** Whether there is a key, of whatever worth. */
export const hasSecretKey = (dataDir: string): boolean => existsSync(secretKeyPath(dataDir));

/** The key is read once, when something is sealed or opened. One that is lost meanwhile is missed, not made anew. */
export function createSecretBox(dataDir: string): SecretBox {
  const path = secretKeyPath(dataDir);
  let opening: Promise<Buffer> | undefined;
  const key = () =>
    (opening ??= readFile(path, 'utf8').then(
      (text) => Buffer.from(text, 'base64'),
      (error: unknown) => {
        // The next one who asks tries again.
        opening = undefined;
        throw error;
      },
    ));
  return {
    ensureKey: async () => void (await openKeyFile(path, async () => randomBytes(keyBytes).toString('base64'))),
    seal: async (secret, context) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', await key(), nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
    },
    open: async (sealed, context) => {
      const nonce = sealed.subarray(0, nonceBytes);
      const tag = sealed.subarray(-tagBytes);
      const decipher = createDecipheriv('aes-256-gcm', await key(), nonce, { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    },
  };
}

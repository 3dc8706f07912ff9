import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openKeyFile } from './key-file.ts';

/**
 * Encrypts secrets that the server must be able to read again, with AES-256-GCM. The key is in the data folder and not
 * in the database, so a stolen database dump alone does not reveal the secrets.
 */
export interface SecretBox {
  ensureKey(): Promise<void>;
  /** Encrypts a secret. @param context the owner; `open` needs the same value */
  seal(secret: Buffer, context: string): Promise<Buffer>;
  open(sealed: Buffer, context: string): Promise<Buffer>;
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

export const secretKeyPath = (dataDir: string): string => join(dataDir, 'second-factor.key');

/** Returns whether the key file exists. Does not check its content. */
export const hasSecretKey = (dataDir: string): boolean => existsSync(secretKeyPath(dataDir));

/** Creates a secret box. Reads the key at first use; a missing key is an error and is not replaced. */
export function createSecretBox(dataDir: string): SecretBox {
  const path = secretKeyPath(dataDir);
  let opening: Promise<Buffer> | undefined;
  const key = () =>
    (opening ??= readFile(path, 'utf8').then(
      (text) => Buffer.from(text, 'base64'),
      (error: unknown) => {
        // Discards the failed read, so that the next call reads the file again.
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

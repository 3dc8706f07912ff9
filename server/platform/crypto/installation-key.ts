import { hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openKeyFile } from './key-file.ts';

export interface InstallationKey {
  /**
   * Derives the 32-byte key for a purpose (HKDF with SHA-256, RFC 5869). All processes that use the data folder get the
   * same key.
   * Creates the key file if it does not exist.
   * @throws Error when the key file cannot be read or does not contain a key
   */
  derive(purpose: string): Promise<Buffer>;
}

const keyBytes = 32;

export const installationKeyPath = (dataDir: string): string => join(dataDir, 'installation.key');

export const openInstallationKey = (dataDir: string): InstallationKey => openKey(installationKeyPath(dataDir));

export function openKey(path: string): InstallationKey {
  let opening: Promise<Buffer> | undefined;
  const secret = () =>
    (opening ??= readSecret(path).catch((error: unknown) => {
      opening = undefined;
      throw error;
    }));
  return {
    derive: async (purpose) => Buffer.from(hkdfSync('sha256', await secret(), '', purpose, keyBytes)),
  };
}

async function readSecret(path: string): Promise<Buffer> {
  const text = await openKeyFile(path, async () => randomBytes(keyBytes).toString('base64'));
  const secret = Buffer.from(text, 'base64');
  if (secret.length !== keyBytes)
    throw new Error(`${path} does not contain a key. Delete the file; a new one will be created.`);
  return secret;
}

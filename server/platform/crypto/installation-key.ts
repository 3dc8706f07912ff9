import { hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openKeyFile } from './key-file.ts';

/** The secret of one installation. Each purpose gets its own key from it, so that no key is used for two purposes. */
export interface InstallationKey {
  /**
   * Returns the key for a purpose: 32 bytes, the same in every process that uses the data folder (HKDF with SHA-256, RFC 5869).
   * Creates the key file when there is none.
   * @throws Error when the key file cannot be read, or holds no key
   */
  derive(purpose: string): Promise<Buffer>;
}

const keyBytes = 32;

/** Returns the path of the key file. */
export const installationKeyPath = (dataDir: string): string => join(dataDir, 'installation.key');

/** Opens the secret in the data folder. The file is read once per process; a failed read is repeated at the next call. */
export function openInstallationKey(dataDir: string): InstallationKey {
  const path = installationKeyPath(dataDir);
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
  if (secret.length !== keyBytes) throw new Error(`${path} does not hold a key. Delete it, and a new one is created.`);
  return secret;
}

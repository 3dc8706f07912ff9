import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JWK, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';

/** A key of Ed25519 with which we sign for other sites; its public part is theirs to read. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: JWK;
  readonly publicKey: JWK;
}

/** The key in the data folder: made once, for every process that uses the folder. Only its owner can read it. */
export async function openSigningKey(dataDir: string): Promise<SigningKey> {
  const path = join(dataDir, 'token-key.json');
  const privateKey = (await readKey(path)) ?? (await makeKey(path));
  const { d: _, ...publicKey } = privateKey;
  const id = await calculateJwkThumbprint(publicKey);
  return { id, privateKey, publicKey: { ...publicKey, kid: id, alg: 'EdDSA', use: 'sig' } };
}

async function readKey(path: string): Promise<JWK | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as JWK);
}

/** Written beside its place and put there whole; of two processes that do so at once, both use what the first one put. */
async function makeKey(path: string): Promise<JWK> {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const unfinished = `${path}.${randomUUID()}`;
  await writeFile(unfinished, JSON.stringify(await exportJWK(privateKey)), { mode: 0o600 });
  try {
    await link(unfinished, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
  const key = await readKey(path);
  if (!key) throw new Error(`${path} was removed while it was made.`);
  return key;
}

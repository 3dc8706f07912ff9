import { join } from 'node:path';
import { type JWK, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { openKeyFile } from './key-file.ts';

/** A key of Ed25519 with which we sign for other sites; its public part is theirs to read. */
export interface SigningKey {
  readonly id: string;
  readonly privateKey: JWK;
  readonly publicKey: JWK;
}

/** The key in the data folder: made once, for every process that uses the folder. */
export async function openSigningKey(dataDir: string): Promise<SigningKey> {
  const text = await openKeyFile(join(dataDir, 'token-key.json'), async () => {
    const pair = await generateKeyPair('EdDSA', { extractable: true });
    return JSON.stringify(await exportJWK(pair.privateKey));
  });
  const privateKey = JSON.parse(text) as JWK;
  const { d: _, ...publicKey } = privateKey;
  const id = await calculateJwkThumbprint(publicKey);
  return { id, privateKey, publicKey: { ...publicKey, kid: id, alg: 'EdDSA', use: 'sig' } };
}

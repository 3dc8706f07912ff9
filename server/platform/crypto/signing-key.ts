import { join } from 'node:path';
import type { JWK } from 'jose';
import { openKeyFile } from './key-file.ts';

export interface SigningKey {
  readonly id: string;
  readonly privateKey: JWK;
  readonly publicKey: JWK;
}

export async function openSigningKey(dataDir: string): Promise<SigningKey> {
  const { calculateJwkThumbprint, exportJWK, generateKeyPair } = await import('jose');
  const text = await openKeyFile(join(dataDir, 'token-key.json'), async () => {
    const pair = await generateKeyPair('EdDSA', { extractable: true });
    return JSON.stringify(await exportJWK(pair.privateKey));
  });
  const privateKey = JSON.parse(text) as JWK;
  const { d: _, ...publicKey } = privateKey;
  const id = await calculateJwkThumbprint(publicKey);
  return { id, privateKey, publicKey: { ...publicKey, kid: id, alg: 'EdDSA', use: 'sig' } };
}

import { createCipheriv, createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { readJson } from '../storage/files.ts';
import { openKeyFile } from './key-file.ts';

/*
 * Verifies passwords that were imported from Firebase Authentication, which uses a modified scrypt
 * (github.com/firebase/scrypt). The key that scrypt derives encrypts a key of the Firebase project, and the result is
 * the hash. The project's key is stored in the data folder and not in the database, so a stolen database dump alone
 * does not allow guessing passwords.
 */

const base64 = z.string().check(z.regex(/^[\w+/-]+={0,2}$/u));

/** The "Password hash parameters" of a Firebase project. */
export const FirebaseKey = z.object({
  signerKey: base64,
  saltSeparator: z.union([z.literal(''), base64]),
  rounds: z.int().check(z.minimum(1), z.maximum(8)),
  memCost: z.int().check(z.minimum(1), z.maximum(14)),
});
export type FirebaseKey = z.infer<typeof FirebaseKey>;

const folderOf = (dataDir: string): string => join(dataDir, 'secrets');
const keyFile = /^firebase-(?<id>[\da-f]{12})\.json$/u;
const storedHash = /^\$firebase-scrypt\$k=(?<id>[\da-f]{12})\$(?<salt>[\w+/]*)\$(?<hash>[\w+/]+)$/u;

const encode = (text: string) => Buffer.from(text, 'base64').toString('base64').replaceAll('=', '');

/** Saves the key of a Firebase project in the data folder. @returns its id, which hashes refer to */
export async function saveFirebaseKey(dataDir: string, key: FirebaseKey): Promise<string> {
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  await openKeyFile(join(dataDir, firebaseKeyPath(key)), async () => JSON.stringify(key));
  return idOf(key);
}

/** Returns the path of the key in the data folder. */
export const firebaseKeyPath = (key: FirebaseKey): string => `secrets/firebase-${idOf(key)}.json`;

/** Derived from the key, so that importing a key again does not create a second one. */
function idOf({ signerKey, saltSeparator, rounds, memCost }: FirebaseKey): string {
  const parts = [encode(signerKey), encode(saltSeparator), rounds, memCost];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}

export async function readFirebaseKeys(dataDir: string): Promise<Map<string, FirebaseKey>> {
  const keys = new Map<string, FirebaseKey>();
  for (const name of await readdir(folderOf(dataDir)).catch(() => [])) {
    const id = keyFile.exec(name)?.groups?.['id'];
    if (id === undefined) continue;
    const key = await readJson(join(folderOf(dataDir), name), FirebaseKey);
    if (key) keys.set(id, key);
  }
  return keys;
}

/** Formats a Firebase hash for the database: `$firebase-scrypt$k=…$salt$hash`. */
export const toFirebaseHash = (keyId: string, salt: string, hash: string): string =>
  `$firebase-scrypt$k=${keyId}$${encode(salt)}$${encode(hash)}`;

export const isFirebaseHash = (stored: string): boolean => stored.startsWith('$firebase-scrypt$');

const derive = promisify<string | Buffer, Buffer, number, object, Buffer>(scrypt);

/**
 * Returns whether a password matches a stored Firebase hash. Always derives one hash per key, so that the time does not
 * reveal whether the account exists or was imported.
 */
export async function verifyFirebaseHash(
  keys: ReadonlyMap<string, FirebaseKey>,
  password: string,
  stored: string | null,
): Promise<boolean> {
  const { id, salt = '', hash = '' } = storedHash.exec(stored ?? '')?.groups ?? {};
  let isMatch = false;
  for (const [keyId, key] of keys) {
    const actual = await computeFirebaseHash(key, password, salt);
    const expected = Buffer.from(hash, 'base64');
    const hasKey = keyId === id && expected.length === actual.length;
    // If no key matches, compares the hash with itself to take the same time.
    const isSame = timingSafeEqual(actual, hasKey ? expected : actual);
    if (hasKey && isSame) isMatch = true;
  }
  return isMatch;
}

/** @param salt in base64 */
export async function computeFirebaseHash(
  { signerKey, saltSeparator, rounds, memCost }: FirebaseKey,
  password: string,
  salt: string,
): Promise<Buffer> {
  const N = 2 ** memCost;
  const key = await derive(
    // Firebase does not normalize passwords.
    password,
    Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(saltSeparator, 'base64')]),
    32,
    { N, r: rounds, p: 1, maxmem: 2 * 128 * N * rounds + 1_000_000 },
  );
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return Buffer.concat([cipher.update(Buffer.from(signerKey, 'base64')), cipher.final()]);
}

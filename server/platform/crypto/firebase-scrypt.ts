import { createCipheriv, createHash, scrypt, timingSafeEqual } from 'node:crypto';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod/mini';
import { readJson } from '../storage/files.ts';
import { openKeyFile } from './key-file.ts';

/*
 * Passwords that were brought over from Firebase Authentication, in its own modification of scrypt
 * (github.com/firebase/scrypt): the derived key encrypts a key of the whole project, and what comes out is what is kept.
 * That key lies in the data folder and not in the database: a stolen dump alone cannot be tried for passwords.
 */

const base64 = z.string().check(z.regex(/^[\w+/-]+={0,2}$/u));

/** What Firebase shows under "Password hash parameters", one for a whole project. */
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

/** Keeps a project's key in the data folder. @returns its id, by which hashes name it */
export async function saveFirebaseKey(dataDir: string, key: FirebaseKey): Promise<string> {
  const id = idOf(key);
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 });
  await openKeyFile(join(folderOf(dataDir), `firebase-${id}.json`), async () => JSON.stringify(key));
  return id;
}

/** The same key has the same id, however often and wherever it is brought. */
function idOf({ signerKey, saltSeparator, rounds, memCost }: FirebaseKey): string {
  const parts = [encode(signerKey), encode(saltSeparator), rounds, memCost];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);
}

/** All keys in the data folder, by their ids. One that cannot be read is left out. */
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

/** How such a password stands with its account: `$firebase-scrypt$k=…$salt$hash`. */
export const toFirebaseHash = (keyId: string, salt: string, hash: string): string =>
  `$firebase-scrypt$k=${keyId}$${encode(salt)}$${encode(hash)}`;

/** Whether a stored password is one of these. */
export const isFirebaseHash = (stored: string): boolean => stored.startsWith('$firebase-scrypt$');

const derive = promisify<string | Buffer, Buffer, number, object, Buffer>(scrypt);

/**
 * Whether a password is the one behind `stored`. One derivation is made for every key there is, whoever asks: so it takes
 * as long for an account that has such a password as for one that has none, and for no account at all.
 */
export async function verifyFirebaseHash(
  keys: ReadonlyMap<string, FirebaseKey>,
  password: string,
  stored: string | null,
): Promise<boolean> {
  const { id, salt = '', hash = '' } = storedHash.exec(stored ?? '')?.groups ?? {};
  let isRight = false;
  for (const [keyId, key] of keys) {
    const actual = await computeFirebaseHash(key, password, salt);
    const expected = Buffer.from(hash, 'base64');
    const isMeant = keyId === id && expected.length === actual.length;
    // Compared with itself where nothing is to be compared.
    const isSame = timingSafeEqual(actual, isMeant ? expected : actual);
    if (isMeant && isSame) isRight = true;
  }
  return isRight;
}

/** What Firebase keeps of a password. @param salt in base64 */
export async function computeFirebaseHash(
  { signerKey, saltSeparator, rounds, memCost }: FirebaseKey,
  password: string,
  salt: string,
): Promise<Buffer> {
  const N = 2 ** memCost;
  const key = await derive(
    // As it was typed: nothing was composed there.
    password,
    Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(saltSeparator, 'base64')]),
    32,
    { N, r: rounds, p: 1, maxmem: 2 * 128 * N * rounds + 1_000_000 },
  );
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return Buffer.concat([cipher.update(Buffer.from(signerKey, 'base64')), cipher.final()]);
}

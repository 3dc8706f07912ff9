import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { parseJson } from '../storage/files.ts';
import { FirebaseKey, firebaseKeyPath } from './firebase-scrypt.ts';

interface Key {
  readonly file: string;
  readonly variable: string;
  /** Returns the path in the data folder, or null if the text is not a key. */
  readonly findPath: (text: string) => string | null;
}

const binaryKey = (file: string, variable: string, path = file): Key => ({
  file,
  variable,
  findPath: (text) => (Buffer.from(text, 'base64').length === 32 ? path : null),
});

const requiredKeys = [
  binaryKey('installation.key', 'INSTALLATION_KEY'),
  binaryKey('second-factor.key', 'SECOND_FACTOR_KEY'),
  binaryKey('membership-codes.key', 'MEMBERSHIP_CODES_KEY', 'secrets/membership-codes.key'),
];

const tokenKey: Key = {
  file: 'token-key.json',
  variable: 'TOKEN_KEY',
  findPath: (text) => (typeof (parseJson(text) as { d?: unknown } | null)?.d === 'string' ? 'token-key.json' : null),
};

const firebaseKey = (file: string): Key => ({
  file,
  variable: 'FIREBASE_HASH_KEY',
  findPath: (text) => {
    const { data } = FirebaseKey.safeParse(parseJson(text));
    return data ? firebaseKeyPath(data) : null;
  },
});

export const keyVariables: readonly string[] = [...requiredKeys, tokenKey, firebaseKey('')].map(
  ({ variable }) => variable,
);

/**
 * Copies the keys of `SECRETS_DIR`, or of the environment, into the data folder, so that several machines share them.
 * A missing key is not created, because each machine would create a different one.
 * @throws ConfigError
 */
export function copySharedKeys(environment: NodeJS.ProcessEnv, dataDir: string, needsTokenKey: boolean): void {
  const folder = environment['SECRETS_DIR'] || null;
  const isNeeded = (key: Key) => requiredKeys.includes(key) || (needsTokenKey && key === tokenKey);
  const present = keyVariables.filter((variable) => environment[variable]);
  if (folder === null && present.length === 0) return;
  if (folder !== null && present.length > 0)
    throw new ConfigError(
      `Set either SECRETS_DIR or the key variables, not both. Unset SECRETS_DIR, or ${present.join(', ')}.`,
    );
  const others = folder === null ? [firebaseKey('FIREBASE_HASH_KEY')] : listFolder(folder).map(firebaseKey);
  for (const key of [...requiredKeys, tokenKey, ...others]) {
    const source = folder === null ? key.variable : join(folder, key.file);
    const text = folder === null ? environment[key.variable] : readKey(source);
    if (text) copySharedKey(key, text.trim(), source, dataDir);
    else if (isNeeded(key)) throw new ConfigError(describeMissing(key, source, folder));
  }
}

const describeMissing = (key: Key, source: string, folder: string | null): string =>
  `${source} is missing. Copy it from the DATA_DIR of a machine that has it` +
  (key === tokenKey
    ? '. To create it, start one server once without SECRETS_DIR and without key variables.'
    : `, or for a new archive ${folder === null ? 'set it to the output of: openssl rand -base64 32' : `run: (umask 077; openssl rand -base64 32 > '${source}')`}`);

function copySharedKey({ findPath }: Key, text: string, source: string, dataDir: string): void {
  const name = findPath(text);
  if (name === null)
    throw new ConfigError(
      `${source} does not contain a key. Copy it again from the DATA_DIR of a machine that has it.`,
    );
  const path = join(dataDir, name);
  const kept = readKey(path);
  if (kept === null) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.${process.pid}`, text, { mode: 0o600, flush: true });
    renameSync(`${path}.${process.pid}`, path);
  } else if (kept.trim() !== text)
    throw new ConfigError(
      `${source} does not match ${path}. If ${path} is the correct key, e.g. after a restore, copy it to ${source}. Otherwise, rename ${path} and keep it.`,
    );
}

function readKey(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    throw new ConfigError(`${path} cannot be read (${code}). Make it readable for the user that runs the server.`, {
      cause: error,
    });
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^firebase-.*\.json$/u.test(name));
  } catch (error) {
    throw new ConfigError(
      `SECRETS_DIR=${folder} cannot be read (${(error as NodeJS.ErrnoException).code}). Create the folder for the user that runs the server, or unset SECRETS_DIR.`,
      { cause: error },
    );
  }
}

import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { copySharedKeys } from './copy-shared-keys.ts';
import { readFirebaseKeys } from './firebase-scrypt.ts';
import { openInstallationKey } from './installation-key.ts';
import { createSecretBox } from './secret-box.ts';
import { openSigningKey } from './signing-key.ts';

const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

const [installation, secondFactor, codes] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte).toString('base64'));
const firebase = JSON.stringify({ signerKey: 'AAAA', saltSeparator: 'Bw==', rounds: 8, memCost: 4 });
const environment = { INSTALLATION_KEY: installation, SECOND_FACTOR_KEY: secondFactor, MEMBERSHIP_CODES_KEY: codes };

let secrets: string;
let dataDir: string;
beforeEach(() => {
  [secrets, dataDir] = [newFolder(), newFolder()];
  writeFileSync(join(secrets, 'installation.key'), `${installation}\n`);
  writeFileSync(join(secrets, 'second-factor.key'), secondFactor ?? '');
  writeFileSync(join(secrets, 'membership-codes.key'), codes ?? '');
});

const copyKeys = (settings: NodeJS.ProcessEnv, needsTokenKey = false) =>
  copySharedKeys(settings, dataDir, needsTokenKey);

describe('copySharedKeys', () => {
  test('does nothing without settings', () => {
    copyKeys({ SECRETS_DIR: '', INSTALLATION_KEY: '' }, true);
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('gives machines with the same SECRETS_DIR the same keys', async () => {
    writeFileSync(join(secrets, 'token-key.json'), JSON.stringify((await openSigningKey(newFolder())).privateKey));
    writeFileSync(join(secrets, 'firebase-1.json'), firebase);
    const other = newFolder();
    for (const folder of [dataDir, dataDir, other]) copySharedKeys({ SECRETS_DIR: secrets }, folder, true);
    const [derived, derivedElsewhere] = await Promise.all(
      [dataDir, other].map((folder) => openInstallationKey(folder).derive('a test')),
    );
    expect(derived).toEqual(derivedElsewhere);
    const sealed = await createSecretBox(dataDir).seal(Buffer.from('a secret'), 'ada');
    expect((await createSecretBox(other).open(sealed, 'ada')).toString()).toBe('a secret');
    expect((await openSigningKey(dataDir)).id).toBe((await openSigningKey(other)).id);
    expect((await readFirebaseKeys(other)).size).toBe(1);
    expect(readFileSync(join(other, 'secrets', 'membership-codes.key'), 'utf8')).toBe(codes);
    expect(statSync(join(other, 'installation.key')).mode & 0o777).toBe(0o600);
  });

  test('reads keys from the environment', async () => {
    copyKeys({ ...environment, FIREBASE_HASH_KEY: firebase });
    expect(readFileSync(join(dataDir, 'installation.key'), 'utf8')).toBe(installation);
    expect((await readFirebaseKeys(dataDir)).size).toBe(1);
  });

  test.for<[string, () => NodeJS.ProcessEnv, string]>([
    [
      'both sources',
      () => ({ SECRETS_DIR: secrets, ...environment }),
      'Set either SECRETS_DIR or the key variables, not both. Unset SECRETS_DIR, or INSTALLATION_KEY, SECOND_FACTOR_KEY, MEMBERSHIP_CODES_KEY.',
    ],
    [
      'a missing folder',
      () => ({ SECRETS_DIR: join(secrets, 'none') }),
      'SECRETS_DIR={secrets}/none cannot be read (ENOENT). Create the folder for the user that runs the server, or unset SECRETS_DIR.',
    ],
    [
      'a missing file',
      () => {
        rmSync(join(secrets, 'second-factor.key'));
        return { SECRETS_DIR: secrets };
      },
      "{secrets}/second-factor.key is missing. Copy it from the DATA_DIR of a machine that has it, or for a new archive run: (umask 077; openssl rand -base64 32 > '{secrets}/second-factor.key')",
    ],
    [
      'a missing variable',
      () => ({ ...environment, MEMBERSHIP_CODES_KEY: '' }),
      'MEMBERSHIP_CODES_KEY is missing. Copy it from the DATA_DIR of a machine that has it, or for a new archive set it to the output of: openssl rand -base64 32',
    ],
    [
      'a text that is not a key',
      () => ({ ...environment, SECOND_FACTOR_KEY: 'AAAA' }),
      'SECOND_FACTOR_KEY does not contain a key. Copy it again from the DATA_DIR of a machine that has it.',
    ],
    [
      'a folder in place of a file',
      () => {
        rmSync(join(secrets, 'installation.key'));
        return { SECRETS_DIR: join(secrets, 'installation.key', '..', 'second-factor.key') };
      },
      'SECRETS_DIR={secrets}/second-factor.key cannot be read (ENOTDIR). Create the folder for the user that runs the server, or unset SECRETS_DIR.',
    ],
    [
      'another key in the data folder',
      () => {
        writeFileSync(join(dataDir, 'second-factor.key'), codes ?? '');
        return { SECRETS_DIR: secrets };
      },
      '{secrets}/second-factor.key does not match {data}/second-factor.key. If {data}/second-factor.key is the correct key, e.g. after a restore, copy it to {secrets}/second-factor.key. Otherwise, rename {data}/second-factor.key and keep it.',
    ],
  ])('rejects %s', ([, settings, message]) => {
    expect(() => copyKeys(settings())).toThrow(message.replaceAll('{secrets}', secrets).replaceAll('{data}', dataDir));
  });

  test('needs the token key only if tokens are sent to another site', () => {
    copyKeys(environment);
    expect(() => copyKeys(environment, true)).toThrow(/^TOKEN_KEY is missing\. Copy it from the DATA_DIR/u);
  });
});

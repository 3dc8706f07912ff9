import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type FirebaseKey,
  computeFirebaseHash,
  saveFirebaseKey,
  readFirebaseKeys,
  toFirebaseHash,
} from './firebase-scrypt.ts';
import { createPasswordHasher } from './password-hashing.ts';

/** The example from github.com/firebase/scrypt. */
const published = {
  password: 'user1password',
  salt: '42xEC+ixf3L2lw==',
  hash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
};
const key: FirebaseKey = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
};
const other: FirebaseKey = { ...key, signerKey: 'AAAApr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVM', memCost: 10 };

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'archive-firebase-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

describe('verification of imported Firebase passwords', () => {
  test('computes the hash of the published example', { tags: ['asvs-11.4.2'] }, async () => {
    const hash = await computeFirebaseHash(key, published.password, published.salt);
    expect(hash.toString('base64')).toBe(published.hash);
  });

  test('accepts the imported password only, and marks its hash as outdated', async () => {
    const id = await saveFirebaseKey(dataDir, key);
    const passwords = createPasswordHasher(1, dataDir);
    const stored = toFirebaseHash(id, published.salt, published.hash);
    expect(stored).toMatch(/^\$firebase-scrypt\$k=[\da-f]{12}\$[\w+/]+\$[\w+/]+$/u);
    expect(await passwords.verify(published.password, stored)).toBe(true);
    for (const wrong of ['User1password', 'user1password ', ''])
      expect(await passwords.verify(wrong, stored), wrong).toBe(false);
    expect(await passwords.verify(published.password, null)).toBe(false);
    expect(passwords.isOutdated(stored)).toBe(true);
    const own = await passwords.hash(published.password);
    expect(passwords.isOutdated(own)).toBe(false);
    expect(await passwords.verify(published.password, own)).toBe(true);
  });

  test('supports several Firebase projects, and uses keys that are added while the process runs', async () => {
    const passwords = createPasswordHasher(1, dataDir);
    const first = toFirebaseHash(await saveFirebaseKey(dataDir, other), 'c2FsdA==', published.hash);
    expect(await passwords.verify(published.password, first)).toBe(false);
    const id = await saveFirebaseKey(dataDir, key);
    expect(await saveFirebaseKey(dataDir, key)).toBe(id);
    expect([...(await readFirebaseKeys(dataDir)).keys()]).toHaveLength(2);
    expect(await passwords.verify(published.password, toFirebaseHash(id, published.salt, published.hash))).toBe(true);
  });

  test('returns false without an error when the key is missing or damaged', async () => {
    const id = await saveFirebaseKey(dataDir, key);
    const stored = toFirebaseHash(id, published.salt, published.hash);
    const passwords = createPasswordHasher(1, dataDir);
    writeFileSync(join(dataDir, 'secrets', `firebase-${id}.json`), '{"signerKey":');
    expect(await passwords.verify(published.password, stored)).toBe(false);
    rmSync(join(dataDir, 'secrets'), { recursive: true });
    expect(await passwords.verify(published.password, stored)).toBe(false);
    for (const broken of ['$firebase-scrypt$', `$firebase-scrypt$k=${id}$$`, '$firebase-scrypt$k=0$a$b', '!'])
      expect(await passwords.verify(published.password, broken), broken).toBe(false);
  });

  test('stores the key with mode 0600, and not in the hash', async () => {
    const id = await saveFirebaseKey(dataDir, key);
    const [name = ''] = readdirSync(join(dataDir, 'secrets'));
    const file = join(dataDir, 'secrets', name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(key);
    expect(toFirebaseHash(id, published.salt, published.hash)).not.toContain(key.signerKey.slice(0, 20));
  });

  test('takes the same time for imported, native and missing accounts', { tags: ['asvs-11.4.2'] }, async () => {
    const id = await saveFirebaseKey(dataDir, key);
    const passwords = createPasswordHasher(1, dataDir);
    const own = await passwords.hash('a long enough word');
    const kinds = { imported: toFirebaseHash(id, published.salt, published.hash), own, nobody: null };
    // Measures CPU time, which other processes do not affect.
    const cost: Record<string, number> = { imported: 0, own: 0, nobody: 0 };
    for (let round = 0; round < 6; round++)
      for (const [kind, hash] of Object.entries(kinds)) {
        const before = process.cpuUsage();
        await passwords.verify('a wrong word', hash);
        const { user, system } = process.cpuUsage(before);
        cost[kind] = (cost[kind] ?? 0) + user + system;
      }
    const [least = 0, , most = 0] = Object.values(cost).toSorted((a, b) => a - b);
    // If one of the two derivations were missing, the time would be half.
    expect(most / least).toBeLessThan(1.6);
  });
});

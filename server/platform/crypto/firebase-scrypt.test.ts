import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  type FirebaseKey,
  computeFirebaseHash,
  saveFirebaseKey,
  readFirebaseKeys,
  toFirebaseHash,
} from './firebase-scrypt.ts';
import { createPasswordHasher } from './password-hashing.ts';

/** As github.com/firebase/scrypt publishes it. */
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

test('the published example comes out as published', { tags: ['asvs-11.4.2'] }, async () => {
  const hash = await computeFirebaseHash(key, published.password, published.salt);
  expect(hash.toString('base64')).toBe(published.hash);
});

test('a password that was brought over opens its account, and no other word does', async () => {
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

test('two projects are told apart, and a key that is brought while the product runs counts at once', async () => {
  const passwords = createPasswordHasher(1, dataDir);
  const first = toFirebaseHash(await saveFirebaseKey(dataDir, other), 'c2FsdA==', published.hash);
  expect(await passwords.verify(published.password, first)).toBe(false);
  const id = await saveFirebaseKey(dataDir, key);
  expect(await saveFirebaseKey(dataDir, key)).toBe(id);
  expect([...(await readFirebaseKeys(dataDir)).keys()]).toHaveLength(2);
  expect(await passwords.verify(published.password, toFirebaseHash(id, published.salt, published.hash))).toBe(true);
});

test('without its key, or with one that is broken, such a password opens nothing, and nothing fails', async () => {
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

test('only the owner of the data folder can read the key, and no hash has it', async () => {
  const id = await saveFirebaseKey(dataDir, key);
  const [name = ''] = readdirSync(join(dataDir, 'secrets'));
  const file = join(dataDir, 'secrets', name);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(key);
  expect(toFirebaseHash(id, published.salt, published.hash)).not.toContain(key.signerKey.slice(0, 20));
});

test(
  'every account costs the same work, whoever has such a password and who has none at all',
  { tags: ['asvs-11.4.2'] },
  async () => {
    const id = await saveFirebaseKey(dataDir, key);
    const passwords = createPasswordHasher(1, dataDir);
    const own = await passwords.hash('a long enough word');
    const kinds = { imported: toFirebaseHash(id, published.salt, published.hash), own, nobody: null };
    // Processor time, not the clock's: what others do at the same moment does not count.
    const cost: Record<string, number> = { imported: 0, own: 0, nobody: 0 };
    for (let round = 0; round < 6; round++)
      for (const [kind, hash] of Object.entries(kinds)) {
        const before = process.cpuUsage();
        await passwords.verify('a wrong word', hash);
        const { user, system } = process.cpuUsage(before);
        cost[kind] = (cost[kind] ?? 0) + user + system;
      }
    const [least = 0, , most = 0] = Object.values(cost).toSorted((a, b) => a - b);
    // Leaving one of the two derivations out would halve it.
    expect(most / least).toBeLessThan(1.6);
  },
);

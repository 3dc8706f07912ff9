import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSecretBox } from './secret-box.ts';

let folder: string;
let elsewhere: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secret-box-'));
  elsewhere = mkdtempSync(join(tmpdir(), 'secret-box-'));
});
afterEach(() => {
  for (const path of [folder, elsewhere]) rmSync(path, { recursive: true });
});

const secret = Buffer.from('twenty random bytes!');

describe('createSecretBox', () => {
  test('decrypts data that another process has encrypted, even if both created the key concurrently', async () => {
    const boxes = Array.from({ length: 4 }, () => createSecretBox(folder));
    await expect(boxes[0]?.seal(secret, 'ada')).rejects.toThrow('no such file');
    await Promise.all(boxes.map((box) => box.ensureKey()));
    const sealed = await Promise.all(boxes.map((box) => box.seal(secret, 'ada')));
    const opened = await Promise.all(boxes.map((box, index) => box.open(sealed.at(index - 1) ?? secret, 'ada')));
    for (const one of opened) expect(one).toEqual(secret);
    expect(new Set(sealed.map((one) => one.toString('hex'))).size).toBe(4);
  });

  test('creates the key file with mode 0600', async () => {
    await createSecretBox(folder).ensureKey();
    const path = join(folder, 'second-factor.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(path, 'utf8'), 'base64')).toHaveLength(32);
  });

  test(
    'refuses to decrypt with another key, for another context, or after the data were modified',
    { tags: ['asvs-11.3.1'] },
    async () => {
      const box = createSecretBox(folder);
      await Promise.all([box.ensureKey(), createSecretBox(elsewhere).ensureKey()]);
      const changed = 'unable to authenticate data';
      const sealed = await box.seal(secret, 'ada');
      expect(sealed.includes(secret)).toBe(false);
      await expect(createSecretBox(elsewhere).open(sealed, 'ada')).rejects.toThrow(changed);
      await expect(box.open(sealed, 'bola')).rejects.toThrow(changed);
      for (const place of [0, 15, sealed.length - 1]) {
        const other = Buffer.from(sealed);
        other[place] = (other[place] ?? 0) ^ 1;
        await expect(box.open(other, 'ada')).rejects.toThrow(changed);
      }
    },
  );
});

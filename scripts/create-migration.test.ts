import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMigration } from './create-migration.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'migrations-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('npm run migration NAME', () => {
  test('creates a file with the next number and a header', () => {
    writeFileSync(join(folder, '009-search.sql'), '');
    writeFileSync(join(folder, '012-gallery.sql'), '');
    const file = createMigration(folder, 'friend-marks');
    expect(file).toBe(join(folder, '013-friend-marks.sql'));
    expect(readFileSync(file, 'utf8')).toMatch(/^-- Friend marks: .+\n\n$/u);
  });

  test('starts with number 001', () => {
    expect(createMigration(folder, 'accounts')).toBe(join(folder, '001-accounts.sql'));
  });

  test.each(['', 'Friends', 'two words', '../escape', 'a--b', 'search'])('refuses the name "%s"', (name) => {
    writeFileSync(join(folder, '001-search.sql'), '');
    expect(() => createMigration(folder, name)).toThrow(/name/u);
    expect(readdirSync(folder)).toEqual(['001-search.sql']);
  });
});

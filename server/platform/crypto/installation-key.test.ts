import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installationKeyPath, openInstallationKey } from './installation-key.ts';

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'installation-key-'));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

describe('openInstallationKey', () => {
  test('derives the same key for a purpose in every process, and another key for another purpose', async () => {
    const processes = [openInstallationKey(dataDir), openInstallationKey(dataDir)];
    const [first, second] = await Promise.all(processes.map((key) => key.derive('one')));
    expect(first).toHaveLength(32);
    expect(second).toEqual(first);
    expect(await processes[0]?.derive('two')).not.toEqual(first);
    expect((await stat(installationKeyPath(dataDir))).mode & 0o777).toBe(0o600);
  });

  test('throws when the file contains no key, and reads it again after it was replaced', async () => {
    const key = openInstallationKey(dataDir);
    await writeFile(installationKeyPath(dataDir), 'AAAA');
    await expect(key.derive('one')).rejects.toThrow('does not contain a key');
    await rm(installationKeyPath(dataDir));
    expect(await key.derive('one')).toHaveLength(32);
  });
});

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type PackageLock, findIncomplete } from './lock-file.ts';

test('each package of the lock file has a digest, also those of other platforms', () => {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as PackageLock;
  expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
  expect(findIncomplete(lock)).toEqual([]);
});

test('a package without a digest, and a missing platform package, are found', () => {
  const packages = {
    '': { version: '1.0.0' },
    'node_modules/tool': {
      version: '2.0.0',
      integrity: 'sha512-x',
      optionalDependencies: { 'tool-linux': '2.0.0', 'tool-win32': '2.0.0' },
    },
    'node_modules/tool-linux': { version: '2.0.0' },
    'node_modules/tool-linux/node_modules/part': { version: '1.0.0', inBundle: true },
    'node_modules/old': { version: '3.0.0', integrity: 'sha1-x' },
  };
  expect(findIncomplete({ packages })).toEqual([
    'tool-win32@2.0.0',
    'node_modules/tool-linux@2.0.0',
    'node_modules/old@3.0.0',
  ]);
});

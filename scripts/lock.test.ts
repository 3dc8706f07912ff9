import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Package {
  readonly hasInstallScript?: boolean;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '..', name), 'utf8'));

test('only listed packages have install scripts', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Package> };
  const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
  const withScript = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? path.replace('node_modules/', '') : [],
  );
  expect(withScript.length).toBeGreaterThan(0);
  expect(withScript.filter((name) => allowScripts[name] !== true)).toEqual([]);
});

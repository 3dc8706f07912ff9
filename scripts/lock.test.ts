import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Package {
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '..', name), 'utf8'));

test('each package of the server has a digest, and only listed packages have install scripts', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Package> };
  const { allowScripts } = read('package.json') as { allowScripts: Record<string, boolean> };
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  // `npm run lock` adds optional packages for other systems without a digest. Those of Tailwind CSS build pages.
  const isForOtherSystems = ([path, { dev, optional }]: [string, Package]) =>
    optional === true && (dev === true || path.startsWith('node_modules/@tailwindcss/oxide-'));
  const withoutDigest = installed.filter(([, { integrity }]) => integrity === undefined);
  expect(withoutDigest.filter((one) => !isForOtherSystems(one)).map(([path]) => path)).toEqual([]);
  const withScript = installed.flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? path.replace('node_modules/', '') : [],
  );
  expect(withScript.filter((name) => allowScripts[name] !== true)).toEqual([]);
});

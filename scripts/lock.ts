/**
 * Makes package-lock.json independent of the machine and the registry. Run `npm run lock` after every change of a
 * dependency.
 *
 * Removes registry URLs, and the engines of dependencies: `npm ci` compares engines with the installed Node and warns
 * about an older one, although the project runs on its own Node (docs/decisions/0001-install-node-from-npm.md).
 *
 * Fails if a package has no digest, or an optional package of another platform is missing. Some registries mirror the
 * newest versions only for their own platform; npm then omits the others, and `npm ci` rejects the lock file elsewhere
 * ("Missing: … from lock file"). Choose a version that the registry has for all platforms.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type PackageLock, findIncomplete } from './lock-file.ts';

const PATH = new URL('../package-lock.json', import.meta.url);

const lock = JSON.parse(readFileSync(PATH, 'utf8')) as PackageLock;
for (const [where, entry] of Object.entries(lock.packages)) {
  delete entry.resolved;
  // Keep the minimum version of the project itself.
  if (where !== '') delete entry.engines;
}
writeFileSync(PATH, `${JSON.stringify(lock, undefined, 2)}\n`);

const incomplete = findIncomplete(lock);
if (incomplete.length > 0) {
  console.error(`Missing, or without a digest. Choose versions that the registry has:\n${incomplete.join('\n')}`);
  process.exitCode = 1;
} else console.log('The lock file is complete.');

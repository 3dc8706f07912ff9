/**
 * Makes package-lock.json independent of the machine and the registry. Run `npm run lock` after every change of a dependency.
 *
 * If a registry mirrors only some platforms, npm omits the optional packages of other platforms, and `npm ci` then rejects the lock file
 * everywhere ("Missing: … from lock file"). This script adds each missing package with an exact version, and takes operating system and
 * CPU from its name. npm downloads it only on a matching machine.
 * The script also removes registry URLs, and the engines of dependencies: `npm ci` compares engines with the installed Node and warns
 * about an older one, although the project runs on its own Node (docs/decisions/0001-install-node-from-npm.md).
 */
import { readFileSync, writeFileSync } from 'node:fs';

type Entry = {
  version?: string;
  resolved?: string;
  engines?: unknown;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
};

const PATH = new URL('../package-lock.json', import.meta.url);
const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

const lock = JSON.parse(readFileSync(PATH, 'utf8')) as { packages: Record<string, Entry> };
const added: string[] = [];

for (const [where, entry] of Object.entries(lock.packages)) {
  delete entry.resolved;
  // Keep the minimum version of the project itself.
  if (where !== '') delete entry.engines;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] || lock.packages[`${where}/${place}`] || !/^\d/.test(version)) continue;
    lock.packages[place] = { version, ...parsePlatform(name), ...(entry.dev && { dev: true }), optional: true };
    added.push(`${name}@${version}`);
  }
}

const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
writeFileSync(PATH, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);
console.log(added.length > 0 ? `Added for other platforms:\n${added.join('\n')}` : 'The lock file is complete.');

/** Returns the platform in a package name, e.g. Linux, arm64 and musl for `@scope/name-linux-arm64-musl`. Missing parts are omitted. */
function parsePlatform(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = new Set(name.split(/[-/]/).map((word) => word.replace(/eabihf$/, '')));
  const stated = (known: string[]) => known.filter((word) => words.has(word));
  const [os, cpu, libc] = [stated(SYSTEMS), stated(PROCESSORS), stated(['gnu', 'musl'])];
  return {
    ...(os.length > 0 && { os }),
    ...(cpu.length > 0 && { cpu }),
    ...(os.includes('linux') && libc.length > 0 && { libc: libc.map((one) => (one === 'gnu' ? 'glibc' : one)) }),
  };
}

/**
 * `npm run lock`, after every change of a dependency: makes package-lock.json the same wherever it is written.
 *
 * A registry that mirrors only some platforms leaves the others' optional packages out of the lock file, and `npm ci` then
 * refuses it everywhere ("Missing: … from lock file"). Every exactly pinned one that is missing is added by name and version,
 * with the system and processor that its name states; npm asks the registry for it only on such a machine.
 * Addresses of a registry are taken out. So are the engines of dependencies: `npm ci` compares them with the Node that is
 * installed and warns about an older one, although the project runs on its own Node (docs/decisions/0001-install-node-from-npm.md).
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
  // The project's own minimum, at the root, stays.
  if (where !== '') delete entry.engines;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lock.packages[place] || lock.packages[`${where}/${place}`] || !/^\d/.test(version)) continue;
    lock.packages[place] = { version, ...platformOf(name), ...(entry.dev && { dev: true }), optional: true };
    added.push(`${name}@${version}`);
  }
}

const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => a.localeCompare(b, 'en'));
writeFileSync(PATH, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, undefined, 2)}\n`);
console.log(added.length > 0 ? `Added for other platforms:\n${added.join('\n')}` : 'The lock file was complete.');

/** `@scope/name-linux-arm64-musl` is for Linux, arm64, musl. A processor that the name does not state is not guessed. */
function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = new Set(name.split(/[-/]/).map((word) => word.replace(/eabihf$/, '')));
  const stated = (known: string[]) => known.filter((word) => words.has(word));
  const [os, cpu, libc] = [stated(SYSTEMS), stated(PROCESSORS), stated(['gnu', 'musl'])];
  return {
    ...(os.length > 0 && { os }),
    ...(cpu.length > 0 && { cpu }),
    ...(os.includes('linux') && libc.length > 0 && { libc: libc.map((one) => (one === 'gnu' ? 'glibc' : one)) }),
  };
}

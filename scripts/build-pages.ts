import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const stampFile = join(dist, 'build.json');

/** Sources of the build. A change in any of them makes the build stale. */
const sources = [
  'web',
  'contract',
  'docs/staff.md',
  'vite.config.ts',
  'package.json',
  'package-lock.json',
  'scripts/build-pages.ts',
];

/** Builds the pages if their sources have changed since the last build. @returns whether it built */
export async function buildIfStale(log: (line: string) => void): Promise<boolean> {
  const digest = hashFiles(sources);
  const built = existsSync(stampFile)
    ? (JSON.parse(readFileSync(stampFile, 'utf8')) as { digest: string }).digest
    : null;
  if (built === digest) return false;
  log('Building the pages (only once, and after changes) …');
  await build();
  writeFileSync(stampFile, JSON.stringify({ digest }));
  return true;
}

async function build(): Promise<void> {
  const { build: viteBuild } = await import('vite');
  rmSync(dist, { recursive: true, force: true });
  const options = { root, logLevel: 'warn' } as const;
  await viteBuild(options);
  await viteBuild({ ...options, build: { ssr: true } });
  await compressAll(join(dist, 'web'));
}

/** Uses Brotli and gzip at the highest level. */
async function compressAll(folder: string): Promise<void> {
  const brotli = promisify(zlib.brotliCompress);
  const gzip = promisify(zlib.gzip);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(?:js|css|svg|json|txt|webmanifest)$/u.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = readFileSync(file);
    if (bytes.length < 500) continue;
    writeFileSync(
      `${file}.br`,
      await brotli(bytes, { params: { [zlib.constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    );
    writeFileSync(`${file}.gz`, await gzip(bytes, { level: 9 }));
  }
}

function hashFiles(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    const full = join(root, path);
    const files = /\.\w+$/u.test(path)
      ? [full]
      : readdirSync(full, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .toSorted();
    for (const file of files) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

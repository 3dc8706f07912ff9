import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '#server/testing/free-port.ts';
import { cleanUp, end, newFolder, run } from '#server/testing/product.ts';

/*
 * Whether the files that the Dockerfile puts into the image are enough to run. There is no Docker here: its lines are read,
 * and what they name is copied into an empty folder and started there.
 */

const root = join(import.meta.dirname, '..');
const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n');
const lastStage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')) + 1);

afterEach(cleanUp);

/** The packages that the image has no more, by their names. */
function removedPackages(): string[] {
  const line = lines.find((one) => one.includes('npm uninstall')) ?? '';
  const [, words = ''] = /npm uninstall (.*?)(?:&&|$)/u.exec(line) ?? [];
  return words.split(' ').filter((word) => word !== '' && !word.startsWith('--'));
}

/** A folder of libraries as the image has it: what stays, each where it is installed here. */
function layLibraries(to: string, removed: readonly string[]): void {
  const from = join(root, 'node_modules');
  mkdirSync(to);
  for (const name of readdirSync(from).filter((one) => !one.startsWith('.'))) {
    const names = name.startsWith('@') ? readdirSync(join(from, name)).map((part) => `${name}/${part}`) : [name];
    if (name.startsWith('@')) mkdirSync(join(to, name));
    for (const one of names) if (!removed.includes(one)) symlinkSync(join(from, one), join(to, one));
  }
}

/** What the image starts, or how it is checked. */
function commandOf(instruction: 'CMD' | 'HEALTHCHECK'): string[] {
  const line = lastStage.find((one) => one.startsWith(`${instruction} `)) ?? '';
  return JSON.parse(line.slice(line.indexOf('['))) as string[];
}

/** The image's folder `/app`. */
function layImage(): string {
  const app = newFolder('archive-image-');
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  for (const line of lastStage.filter((one) => one.startsWith('COPY '))) {
    const words = line.split(/\s+/u).slice(1);
    const sources = words.filter((word) => !word.startsWith('--'));
    const target = sources.pop() ?? '';
    if (words[0] === '--from=libraries') layLibraries(join(app, target), removedPackages());
    else
      for (const source of sources) {
        const path = source.replace(/^\/app\//u, '');
        const [room = ''] = path.split('/');
        expect(words[0] === '--from=build' || ignored.includes(`!${room}`), `${room} in .dockerignore`).toBe(true);
        cpSync(join(root, path), target.endsWith('/') ? join(app, target, basename(path)) : join(app, target), {
          recursive: true,
          filter: (file) => !file.endsWith('.test.ts') && !/\/(?:cli|server)\/testing(?:\/|$)/u.test(file),
        });
      }
  }
  return app;
}

/** @returns exit code and output of a program that ends by itself */
async function call(
  cwd: string,
  env: Record<string, string>,
  [program = '', ...args]: readonly string[],
): Promise<[number | null, string]> {
  const child = spawn(program === 'node' ? process.execPath : program, args, { cwd, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  return new Promise((resolve) => child.once('exit', (code) => resolve([code, output])));
}

describe('the image', () => {
  test('has all that it takes: pages, scripts, database, commands, and a check that knows whether it is well', async () => {
    const app = layImage();
    const [PORT, DATA_DIR] = [String(await freePort()), newFolder()];
    const [, ...command] = commandOf('CMD');
    const environment = { PORT, DATA_DIR, NODE_ENV: 'production', INSTITUTION_FILE: join(app, 'institution.json') };
    const { child, ready, output } = await run(environment, [
      process.execPath,
      ...command.map((word) => (word.endsWith('.ts') ? join(app, word) : word)),
    ]);
    expect(ready, output).toBe(true);
    const origin = `http://localhost:${PORT}`;
    expect(await (await fetch(`${origin}/readyz`)).text()).toBe('ready\n');
    const page = await (await fetch(`${origin}/home`)).text();
    const [script = ''] = /\/assets\/[\w-]+\.js/u.exec(page) ?? [];
    expect((await fetch(`${origin}${script}`)).headers.get('cache-control')).toContain('immutable');

    const check = commandOf('HEALTHCHECK');
    const outside = { PATH: process.env['PATH'] ?? '', PORT };
    expect((await call(app, outside, check))[0]).toBe(0);
    const [code, help] = await call(app, { ...outside, DATA_DIR }, ['node', 'scripts/run.mjs', 'archive', '--help']);
    expect([code, help]).toEqual([0, expect.any(String)]);
    await end(child, 'SIGTERM');
    expect((await call(app, outside, check))[0]).toBe(1);
  });
});

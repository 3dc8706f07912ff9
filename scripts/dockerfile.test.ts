import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { freePort } from '#server/testing/free-port.ts';
import { cleanUp, end, newDataFolder, newFolder, run } from '#server/testing/server-process.ts';

/*
 * Tests that the Dockerfile copies all files that the server needs. The test works without Docker: it parses the
 * Dockerfile, copies the named files to an empty folder, and starts the server there.
 */

const root = join(import.meta.dirname, '..');
const lines = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n');
const lastStage = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')) + 1);

afterEach(cleanUp);

function readRemovedPackages(): string[] {
  const line = lines.find((one) => one.includes('npm uninstall')) ?? '';
  const [, words = ''] = /npm uninstall (.*?)(?:&&|$)/u.exec(line) ?? [];
  return words.split(' ').filter((word) => word !== '' && !word.startsWith('--'));
}

function linkLibraries(to: string, removed: readonly string[]): void {
  const from = join(root, 'node_modules');
  mkdirSync(to);
  for (const name of readdirSync(from).filter((one) => !one.startsWith('.'))) {
    const names = name.startsWith('@') ? readdirSync(join(from, name)).map((part) => `${name}/${part}`) : [name];
    if (name.startsWith('@')) mkdirSync(join(to, name));
    for (const one of names) if (!removed.includes(one)) symlinkSync(join(from, one), join(to, one));
  }
}

/** Expects the instruction in exec form. */
function readCommand(instruction: 'CMD' | 'HEALTHCHECK'): string[] {
  const line = lastStage.find((one) => one.startsWith(`${instruction} `)) ?? '';
  return JSON.parse(line.slice(line.indexOf('['))) as string[];
}

function buildImageFolder(): string {
  const app = newFolder('archive-image-');
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
  for (const line of lastStage.filter((one) => one.startsWith('COPY '))) {
    const words = line.split(/\s+/u).slice(1);
    const sources = words.filter((word) => !word.startsWith('--'));
    const target = sources.pop() ?? '';
    if (words[0] === '--from=libraries') linkLibraries(join(app, target), readRemovedPackages());
    else
      for (const source of sources) {
        const path = source.replace(/^\/app\//u, '');
        const [topFolder = ''] = path.split('/');
        expect(words[0] === '--from=build' || ignored.includes(`!${topFolder}`), `${topFolder} in .dockerignore`).toBe(
          true,
        );
        cpSync(join(root, path), target.endsWith('/') ? join(app, target, basename(path)) : join(app, target), {
          recursive: true,
          filter: (file) => !file.endsWith('.test.ts') && !/\/(?:cli|server)\/testing(?:\/|$)/u.test(file),
        });
      }
  }
  return app;
}

async function runProgram(
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

describe('the Docker image', () => {
  test(
    'serves pages and scripts, runs commands, and has a health check that reports the state of the server',
    { tags: ['release'] },
    async () => {
      const app = buildImageFolder();
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      const [, ...command] = readCommand('CMD');
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

      const check = readCommand('HEALTHCHECK');
      const outside = { PATH: process.env['PATH'] ?? '', PORT };
      expect((await runProgram(app, outside, check))[0]).toBe(0);
      const [code, help] = await runProgram(app, { ...outside, DATA_DIR }, [
        'node',
        'scripts/run.mjs',
        'archive',
        '--help',
      ]);
      expect([code, help]).toEqual([0, expect.any(String)]);
      await end(child, 'SIGTERM');
      expect((await runProgram(app, outside, check))[0]).toBe(1);
    },
  );
});

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from './build-pages.ts';

/*
 * Everything that has to hold before a change lands, the quick things first. The runners leave their reports in
 * `test-results`, where `.ci/run` reads them.
 */

const root = join(import.meta.dirname, '..');
rmSync(join(root, 'test-results'), { recursive: true, force: true });

await step('Types', 'tsc', '-p', '.');
await step('Lint and walls', 'oxlint', '--type-aware', '--deny-warnings');
await step('Format', 'oxfmt', '--check');
await buildIfStale(console.log);
// The build has set this for itself.
delete process.env['NODE_ENV'];
const isGood = [
  await run('Logic and API', 'vitest', 'run'),
  await run('Browser', 'playwright', 'test'),
  await run('Specification', 'vitest', 'run', '--config', 'vitest.conformance.config.ts'),
];
if (isGood.includes(false)) process.exit(1);

/** Runs a step that has to succeed before anything else is worth trying. */
async function step(title: string, command: string, ...args: string[]): Promise<void> {
  if (!(await run(title, command, ...args))) process.exit(1);
}

async function run(title: string, command: string, ...args: string[]): Promise<boolean> {
  const start = performance.now();
  console.log(`\n── ${title}: ${command} ${args.join(' ')}`);
  const child = spawn(join(root, 'node_modules', '.bin', command), args, { cwd: root, stdio: 'inherit' });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  console.log(
    `── ${title}: ${code === 0 ? 'passed' : 'FAILED'} in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
  return code === 0;
}

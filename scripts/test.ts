import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildIfStale } from './build-pages.ts';

/*
 * Runs all checks and tests, the fast ones first. The runners write their reports to `test-results`, where `.ci/run` reads them.
 */

const root = join(import.meta.dirname, '..');
rmSync(join(root, 'test-results'), { recursive: true, force: true });

for (const [title, command, ...args] of [
  ['Types', 'tsc', '-p', '.'],
  ['Lint and import rules', 'oxlint', '--type-aware', '--deny-warnings'],
  ['Format', 'oxfmt', '--check'],
] as const)
  if (!run(title, command, ...args)) process.exit(1);
await buildIfStale(console.log);
// The build sets NODE_ENV.
delete process.env['NODE_ENV'];
const results = [
  run('Unit and API tests', 'vitest', 'run'),
  run('Browser tests', 'playwright', 'test'),
  run('Conformance', 'vitest', 'run', '--config', 'vitest.conformance.config.ts'),
];
if (results.includes(false)) process.exit(1);

function run(title: string, command: string, ...args: string[]): boolean {
  const start = performance.now();
  console.log(`\n── ${title}: ${command} ${args.join(' ')}`);
  const { status } = spawnSync(join(root, 'node_modules', '.bin', command), args, { cwd: root, stdio: 'inherit' });
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`── ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  return status === 0;
}

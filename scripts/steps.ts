import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Folder of the project. */
export const root = join(import.meta.dirname, '..');

/** A command of `node_modules/.bin` with a title. */
type Step = readonly [title: string, command: string, ...args: string[]];

/** Checks that need no build, the fast ones first. */
export const staticChecks: readonly Step[] = [
  ['Types', 'tsc', '-p', '.'],
  ['Lint and import rules', 'oxlint', '--type-aware', '--deny-warnings'],
  ['Format', 'oxfmt', '--check'],
];

/** Runs a step, and prints its result and duration. @returns whether it passed */
export function runStep([title, command, ...args]: Step): boolean {
  const start = performance.now();
  console.log(`\n── ${title}: ${command} ${args.join(' ')}`);
  const { status } = spawnSync(join(root, 'node_modules', '.bin', command), args, { cwd: root, stdio: 'inherit' });
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`── ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  return status === 0;
}

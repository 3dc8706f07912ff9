import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

type Step = readonly [title: string, command: string, ...args: string[]];

/** The fast checks first. They need no build. */
export const staticChecks: readonly Step[] = [
  ['Types', 'tsc', '-p', '.'],
  ['Lint and import rules', 'oxlint', '--type-aware', '--deny-warnings'],
  ['Format', 'oxfmt', '--check'],
];

export function runStep([title, command, ...args]: Step): boolean {
  const start = performance.now();
  console.log(`\n── ${title}: ${command} ${args.join(' ')}`);
  const { status } = spawnSync(join(root, 'node_modules', '.bin', command), args, { cwd: root, stdio: 'inherit' });
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`── ${title}: ${status === 0 ? 'passed' : 'FAILED'} in ${seconds} s`);
  return status === 0;
}

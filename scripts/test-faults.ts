import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildIfStale } from './build-pages.ts';

/*
 * Runs the long fault tests, one after another: `npm run test:faults [-- NAME]`. Arguments after `--` go to Vitest, e.g. a part of a file
 * name. The short fault tests are in `npm test`.
 */

const root = join(import.meta.dirname, '..');
await buildIfStale(console.log);
// The build sets NODE_ENV.
delete process.env['NODE_ENV'];
const args = ['run', '--config', 'vitest.faults.config.ts', ...process.argv.slice(2)];
const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), args, { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;

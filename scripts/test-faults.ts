import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildIfStale } from './build-pages.ts';

/*
 * `npm run test:faults [-- NAME]`: the long ones, one after another; the quick ones are in `npm test`. Words after `--` go to
 * the runner, e.g. a part of a file's name.
 */

const root = join(import.meta.dirname, '..');
await buildIfStale(console.log);
// The build has set this for itself.
delete process.env['NODE_ENV'];
const args = ['run', '--config', 'vitest.faults.config.ts', ...process.argv.slice(2)];
const { status } = spawnSync(join(root, 'node_modules', '.bin', 'vitest'), args, { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;

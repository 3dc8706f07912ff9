import { backup } from './backup.ts';
import type { Command } from './command.ts';
import { exportAll } from './export.ts';
import { importAll } from './import.ts';
import { restore } from './restore.ts';

/** All commands, in the order of `--help`. */
export const commands: readonly Command[] = [backup, restore, exportAll, importAll];

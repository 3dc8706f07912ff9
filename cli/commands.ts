import type { Command } from './command.ts';

/** All commands, in the order of `--help`. */
export const commands: readonly Command[] = [];

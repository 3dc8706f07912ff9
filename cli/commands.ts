import type { Command } from './command.ts';
import { jobsDrop, jobsList, jobsRetry } from './jobs.ts';
import { mailBounced } from './mail.ts';

/** All commands, in the order of `--help`. */
export const commands: readonly Command[] = [jobsList, jobsRetry, jobsDrop, mailBounced];

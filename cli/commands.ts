import type { Command } from './command.ts';
import { doctor } from './doctor.ts';
import { importFirestore } from './import-firestore.ts';
import { mailTest } from './mail-test.ts';
import { userDelete } from './user-delete.ts';
import { userDisable, userEnable } from './user-disable.ts';
import { userShow } from './user-show.ts';

/** All commands, in the order of `--help`. */
export const commands: readonly Command[] = [
  userShow,
  userDisable,
  userEnable,
  userDelete,
  importFirestore,
  mailTest,
  doctor,
];

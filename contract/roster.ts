import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';

/** `uploaded`: the file is stored. `checked`: compared with the roster. Both are open; at most one import is. */
export const importStates = ['uploaded', 'checked', 'applied', 'undone', 'cancelled'] as const;
export type ImportState = (typeof importStates)[number];

/** Steps of an import that take up to a minute. A job does them. */
export const importSteps = ['detect', 'check', 'apply', 'undo'] as const;
export type ImportStep = (typeof importSteps)[number];

/** Result of comparing a file with the roster. */
export const ImportCounts = z.object({
  new: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  /** Entries of the roster that the file does not have. They stay, marked as gone. Always 0 for a file with only some of the people. */
  missing: z.int(),
  /** Rows that are not imported because they cannot be read. */
  unreadable: z.int(),
  /** Rows that are not imported because several rows have their matric number. */
  duplicates: z.int(),
  /** Rows that are not imported because the person has objected. */
  suppressed: z.int(),
});
export type ImportCounts = z.infer<typeof ImportCounts>;

export const UndoCounts = z.object({
  takenBack: z.int(),
  /** Entries left as they are, because a person has claimed them since. */
  kept: z.int(),
  /** Entries that cannot be restored, because the person has objected since. */
  failed: z.int(),
});
export type UndoCounts = z.infer<typeof UndoCounts>;

/** Something that staff must confirm before the import is applied. */
export const ImportWarning = z.object({ kind: z.string(), count: z.int(), message: z.string() });
export type ImportWarning = z.infer<typeof ImportWarning>;

export const rosterEndpoints = defineEndpoints({});

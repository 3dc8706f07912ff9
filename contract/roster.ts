import * as z from 'zod/mini';
import { Timestamp } from './timestamp.ts';
import { defineEndpoints } from './endpoint.ts';
import { Id, jsonText } from './fields.ts';
import {
  changeKinds,
  importStates,
  importSteps,
  erasableFields,
  importFields,
  maxRosterBytes,
} from './roster-values.ts';

export const ImportCounts = z.object({
  new: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  /**
   * Entries of the roster that the file does not have. They are kept and marked as missing (`gone_since`). Always 0 for
   * a file with only some of the people.
   */
  missing: z.int(),
  /** How many changed entries get a new value in a field, most first. Omitted in imports before this was counted. */
  fields: z.optional(z.array(z.object({ field: z.enum(importFields), count: z.int() }))),
  /** Entries of confirmed people whose name or birth date would change. Omitted if there are none. */
  moved: z.optional(z.int()),
  unreadable: z.int(),
  /** Rows that repeat an earlier row in all fields. Omitted in imports before this was counted. */
  repeated: z.optional(z.int()),
  /** Rows that are not imported because several different rows have their matric number. */
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

export const ImportWarning = z.object({ kind: z.string(), count: z.int(), message: z.string() });
export type ImportWarning = z.infer<typeof ImportWarning>;

const Text = jsonText(200);

export const PlannedChange = z.object({
  /** Row of the file, with the sheet if several are read. Null for missing people. */
  row: z.nullable(z.string()),
  matricNumber: z.string(),
  name: z.string(),
  department: z.nullable(z.string()),
  yearGraduated: z.nullable(z.int()),
  /** Whether the entry was missing and is in the file again. */
  isBack: z.boolean(),
  /** The values that change. Empty for new and missing people. */
  values: z.array(
    z.object({ field: z.enum(importFields), before: z.nullable(z.string()), after: z.nullable(z.string()) }),
  ),
});
export type PlannedChange = z.infer<typeof PlannedChange>;

const ChangeFilter = z.strictObject({
  kind: z.enum(changeKinds),
  /** Only entries that get a new value in this field. */
  field: z.optional(z.enum(importFields)),
  /** Part of a name or matric number. */
  q: z.optional(Text),
});
export type ChangeFilter = z.infer<typeof ChangeFilter>;

const Year = z.int().check(z.minimum(1900), z.maximum(2100));
const Years = z.strictObject({ from: Year, to: Year });

/** How to read the file. Everything that is left out is detected. */
export const ImportSettings = z.strictObject({
  encoding: z.optional(z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'])),
  delimiter: z.optional(z.enum([',', ';', '\t', '|'])),
  /** Sheets whose rows are read together. Their headings must agree. */
  sheets: z.optional(z.array(Text).check(z.minLength(1), z.maxLength(100))),
  headerLine: z.optional(z.int().check(z.minimum(1), z.maximum(1_000))),
  /** Field of each column, by the column’s key. Null: not imported. */
  mapping: z.optional(z.record(Text, z.nullable(z.enum(importFields)))),
  nameOrder: z.optional(z.enum(['last-first', 'first-last'])),
  dateOrder: z.optional(z.enum(['dmy', 'mdy'])),
  /** Names of departments by their spelling in the file. */
  departments: z.optional(z.record(Text, Text)),
  erase: z.optional(z.array(z.enum(erasableFields)).check(z.maxLength(erasableFields.length))),
  /** Whether the file has only some of the people, so that no entry is missing. */
  isPartial: z.optional(z.boolean()),
  /** The years of graduation that the file covers. Only entries of these years can be missing. */
  years: z.optional(Years),
});
export type ImportSettings = z.infer<typeof ImportSettings>;

export const RosterImport = z.object({
  id: z.int(),
  fileName: z.string(),
  state: z.enum(importStates),
  /** The step that runs, with its progress in percent. Null: none. */
  step: z.nullable(z.enum(importSteps)),
  progress: z.int(),
  failure: z.string(),
  /** What the file contains. Null until it is detected, and after the import is closed. */
  file: z.nullable(
    z.object({
      kind: z.enum(['csv', 'xlsx', 'oneroster']),
      /** How it is read: detected, or chosen by staff. */
      encoding: z.nullable(z.string()),
      delimiter: z.nullable(z.string()),
      /** Empty until staff choose, if there are several sheets. Nothing else is detected before. */
      chosenSheets: z.array(z.string()),
      headerLine: z.int(),
      nameOrder: z.enum(['last-first', 'first-last']),
      dateOrder: z.nullable(z.enum(['dmy', 'mdy'])),
      /** The departments that staff have chosen, by their folded spelling in the file. */
      departments: z.record(z.string(), z.string()),
      sheets: z.array(z.object({ name: z.string(), headings: z.array(z.string()) })),
      rowCount: z.int(),
      columns: z.array(
        z.object({
          key: z.string(),
          fillRate: z.number(),
          samples: z.array(z.string()),
          field: z.nullable(z.enum(importFields)),
          isLeftOut: z.boolean(),
        }),
      ),
      nameSamples: z.array(z.string()),
      /** `suggestion`: the department that the name may abbreviate. */
      unknownDepartments: z.array(z.object({ name: z.string(), rows: z.int(), suggestion: z.optional(z.string()) })),
    }),
  ),
  erase: z.array(z.enum(importFields)),
  isPartial: z.boolean(),
  years: z.nullable(Years),
  counts: z.nullable(ImportCounts),
  /**
   * Whether applying it needs an approval, because it, or it and the recent imports of the caller, change or miss many
   * entries.
   */
  needsApproval: z.boolean(),
  /** Whether a list of rows and cells that cannot be read is stored, for `importRetentionDays`. */
  hasErrors: z.boolean(),
  /** Why it cannot be undone, if it is applied. Null if it can. */
  undoRefusal: z.nullable(z.string()),
  /** The request to apply or undo it that is pending approval, or about to run. */
  approval: z.nullable(
    z.object({
      id: Id,
      step: z.enum(['apply', 'undo']),
      requestedBy: z.nullable(z.string()),
      requestedAt: Timestamp,
      /** When it runs without an approval, because there is no second owner. */
      runsAt: z.nullable(Timestamp),
    }),
  ),
  undoCounts: z.nullable(UndoCounts),
  warnings: z.array(ImportWarning),
  createdAt: Timestamp,
  checkedAt: z.nullable(Timestamp),
  appliedAt: z.nullable(Timestamp),
});
export type RosterImport = z.infer<typeof RosterImport>;

/** `requested`: an owner other than the caller must approve it first. */
const Started = z.object({ result: z.enum(['started', 'requested']) });

const importParams = z.strictObject({ id: z.string().check(z.regex(/^[1-9]\d{0,8}$/u)) });

export const rosterEndpoints = defineEndpoints({
  'GET /api/staff/roster/imports': {
    summary:
      'List the latest imports of the roster, newest first. For owners and registrars, like all endpoints of the roster',
    access: { staff: 'roster' },
    response: z.object({ imports: z.array(RosterImport) }),
  },
  'POST /api/staff/roster/imports': {
    summary: 'Upload a file, which is then detected. At most one import is open',
    access: { staff: 'roster' },
    query: z.strictObject({ name: z.string().check(z.minLength(1), z.maxLength(200)) }),
    upload: 'application/octet-stream',
    maxBodyBytes: maxRosterBytes,
    response: RosterImport,
    problems: ['insufficient-storage', 'roster/refused'],
  },
  'GET /api/staff/roster/imports/{id}': {
    summary: 'Get an import, with the progress of its current step',
    access: { staff: 'roster' },
    params: importParams,
    response: RosterImport,
    problems: ['not-found'],
  },
  'PUT /api/staff/roster/imports/{id}/settings': {
    summary:
      'Change how the file of an open import is read, and detect it again. `thenCheck`: also compare it with the roster',
    access: { staff: 'roster' },
    params: importParams,
    body: z.extend(ImportSettings, { thenCheck: z.optional(z.boolean()) }),
    problems: ['not-found', 'roster/refused'],
  },
  'POST /api/staff/roster/imports/{id}/check': {
    summary: 'Compare the file with the roster (dry run)',
    access: { staff: 'roster' },
    params: importParams,
    problems: ['not-found', 'roster/refused'],
  },
  'POST /api/staff/roster/imports/{id}/apply': {
    summary:
      'Apply the import to the roster, or request it if many entries change or are missing. The body must name the kind of each warning, and the check that found them (`checkedAt`)',
    access: { staff: 'roster' },
    needsRecentPassword: true,
    params: importParams,
    body: z.strictObject({
      checkedAt: z.string().check(z.maxLength(40)),
      confirmed: z.array(z.string().check(z.maxLength(60))).check(z.maxLength(50)),
    }),
    response: Started,
    problems: ['not-found', 'roster/refused'],
  },
  'POST /api/staff/roster/imports/{id}/cancel': {
    summary: 'Cancel an open import and delete its file. A running step is rolled back',
    access: { staff: 'roster' },
    params: importParams,
    problems: ['not-found', 'roster/refused'],
  },
  'POST /api/staff/roster/imports/{id}/undo': {
    summary:
      'Request that an import on which no other one builds is undone. An owner other than the caller must approve it',
    access: { staff: 'roster' },
    needsRecentPassword: true,
    params: importParams,
    response: Started,
    problems: ['not-found', 'roster/refused'],
  },
  'GET /api/staff/roster/imports/{id}/changes': {
    summary:
      'List what a checked import would change: new, changed or missing people, with the values before and after',
    access: { staff: 'roster' },
    params: importParams,
    query: z.extend(ChangeFilter, { after: z.optional(z.string().check(z.regex(/^\d{1,12}$/u))) }),
    response: z.object({
      changes: z.array(PlannedChange),
      next: z.nullable(z.string()),
    }),
    problems: ['not-found', 'roster/refused'],
  },
  'GET /api/staff/roster/imports/{id}/changes/file': {
    summary: 'Download what a checked import would change, one line per new value',
    access: { staff: 'roster' },
    params: importParams,
    query: ChangeFilter,
    file: 'text/csv; charset=utf-8',
    problems: ['not-found', 'roster/refused'],
  },
  'GET /api/staff/roster/imports/{id}/errors': {
    summary: 'Download the rows and cells that cannot be read, with line, column, value and reason',
    access: { staff: 'roster' },
    params: importParams,
    file: 'text/csv; charset=utf-8',
    problems: ['not-found'],
  },
});

import * as z from 'zod/mini';
import { Timestamp } from '../timestamp.ts';
import { defineEndpoints } from '../endpoint.ts';
import { Id } from '../fields.ts';
import { PeopleFilter } from './people.ts';
import { exportColumns } from './people-values.ts';

export type { ExportColumn } from '../profile-fields.ts';

/** `waiting`: for an approval. `refused`: it was not approved. `expired`: the file was deleted. */
const exportStates = ['waiting', 'making', 'ready', 'refused', 'failed', 'expired'] as const;
export type ExportState = (typeof exportStates)[number];

export const PeopleExport = z.object({
  id: Id,
  state: z.enum(exportStates),
  /** Number of people at the request, then in the file. */
  people: z.int(),
  columns: z.array(z.enum(exportColumns)),
  requestedAt: Timestamp,
  /** When the file is deleted. Null unless it is ready. */
  expiresAt: z.nullable(Timestamp),
  failure: z.string(),
});
export type PeopleExport = z.infer<typeof PeopleExport>;

export const staffExportEndpoints = defineEndpoints({
  'GET /api/staff/exports': {
    summary: 'List the exports that the caller requested, newest first',
    access: { staff: 'export-people' },
    response: z.object({ exports: z.array(PeopleExport) }),
  },
  'GET /api/staff/exports/count': {
    summary: 'Count the people in an export: those who match and whom members can see',
    access: { staff: 'export-people' },
    query: PeopleFilter,
    response: z.object({ people: z.int(), needsApproval: z.boolean() }),
  },
  'POST /api/staff/exports': {
    summary:
      'Request a CSV file of people, with what members see of them. More than 100 people in 24 hours need an approval',
    access: { staff: 'export-people' },
    needsRecentPassword: true,
    body: z.strictObject({
      filter: PeopleFilter,
      columns: z.array(z.enum(exportColumns)).check(z.minLength(1), z.maxLength(exportColumns.length)),
    }),
    response: PeopleExport,
  },
  'GET /api/staff/exports/{id}/file': {
    summary: 'Download the file of an export. Only for the caller who requested it, for 24 hours',
    access: { staff: 'export-people' },
    params: z.strictObject({ id: Id }),
    file: 'text/csv; charset=utf-8',
    problems: ['not-found'],
  },
});

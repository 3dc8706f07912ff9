import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id } from './fields.ts';

export const myDataEndpoints = defineEndpoints({
  'GET /api/users/{id}/export': {
    summary: 'Download all data about the caller as a zip file',
    access: 'session',
    params: z.strictObject({ id: Id }),
    file: 'application/zip',
    problems: ['permission-denied', 'auth/too-many-requests'],
  },
});

import * as z from 'zod/mini';
import { Card } from './directory.ts';
import { defineEndpoints } from './endpoint.ts';
import { limits } from './limits.ts';

export const searchEndpoints = defineEndpoints({
  'GET /api/search': {
    summary: 'People by the beginnings of words of their name, department or matric number, as the caller may see them',
    query: z.strictObject({ q: z.string().check(z.minLength(1), z.maxLength(limits.lineMax)) }),
    response: z.object({
      /** The best ones first, at most 48. */
      items: z.array(Card),
      /** Whether there are more; another word would narrow it down. */
      more: z.boolean(),
    }),
  },
});

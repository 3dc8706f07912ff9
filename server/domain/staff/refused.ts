import { ProblemError } from '#server/platform/http/problem.ts';

/**
 * @param detail a sentence for staff: why, and what to do
 * @param pointer JSON pointer of the form field that shows it
 */
export const refused = (detail: string, pointer?: string): ProblemError =>
  new ProblemError('staff/refused', {
    detail,
    ...(pointer !== undefined && { errors: [{ pointer, message: detail }] }),
  });

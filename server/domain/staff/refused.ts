import { ProblemError } from '#server/platform/http/problem.ts';

/** @param detail a sentence for staff: why, and what to do */
export const refused = (detail: string): ProblemError => new ProblemError('staff/refused', { detail });

import type { Problem } from '#contract/problem.ts';
import { messageOf } from '#web/domain/messages.ts';

/** For a suspended account, the server says until when, and how to object. */
export const signInMessageOf = (problem: Problem): string =>
  problem.code === 'auth/user-disabled' && problem.detail !== undefined
    ? `${problem.detail} (${problem.code})`
    : messageOf(problem);

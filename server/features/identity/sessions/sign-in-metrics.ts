import type { Metrics } from '../../../platform/metrics/metrics.ts';
import { ProblemError } from '../../../platform/http/problem.ts';

/** With what somebody signs in. */
type SignInMethod = 'password' | 'second-factor' | 'passkey';

/** How it went: `begun` is a right password that waits for a second factor, `failed` is a fault of ours. */
type Outcome = 'ok' | 'begun' | 'refused' | 'too-many' | 'failed';

/** Counts how sign-ins go, and hands over what they answer. Whose they are is not counted. */
export function createSignInCounter(
  metrics: Metrics,
): <Answer>(means: SignInMethod, signingIn: Promise<Answer>) => Promise<Answer> {
  const counter = metrics.counter('archive_sign_ins_total', 'Sign-ins, by their means and how they went.', [
    'means',
    'result',
  ]);
  return async (means, signingIn) => {
    try {
      const answer = await signingIn;
      counter.inc({ means, result: 'ok' });
      return answer;
    } catch (error) {
      counter.inc({ means, result: outcomeOf(error) });
      throw error;
    }
  };
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof ProblemError)) return 'failed';
  if (error.code === 'auth/multi-factor-required') return 'begun';
  if (error.code === 'auth/too-many-requests') return 'too-many';
  return error.status < 500 ? 'refused' : 'failed';
}

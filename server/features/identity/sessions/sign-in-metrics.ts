import type { Metrics } from '#server/platform/metrics/metrics.ts';
import { ProblemError } from '#server/platform/http/problem.ts';

type SignInMethod = 'password' | 'second-factor' | 'passkey' | 'campus';

/** `begun` means a correct password that still needs a second factor; `failed` means a server error. */
type Outcome = 'ok' | 'begun' | 'refused' | 'too-many' | 'failed';

/** The metric contains no account. */
export function createSignInCounter(
  metrics: Metrics,
): <Answer>(means: SignInMethod, signingIn: Promise<Answer>) => Promise<Answer> {
  const counter = metrics.counter('archive_sign_ins_total', 'Sign-ins by means and result.', ['means', 'result']);
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

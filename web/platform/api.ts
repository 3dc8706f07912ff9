import { type Call, toWireRequest } from '#contract/call.ts';
import type { Problem, ProblemCode } from '#contract/problem.ts';

/** Code must check `code`, never a text. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.reference ? `${problem.title} (reference ${problem.reference})` : (problem.detail ?? problem.title));
    this.problem = problem;
  }

  get code(): ProblemCode {
    return this.problem.code;
  }
}

/** Errors other than API responses count as network failures. */
export function problemOf(error: unknown): Problem {
  // Checks the shape and not the class: on the server the error comes from outside this bundle.
  const { problem } = error as { problem?: Problem };
  return problem ?? createProblem('unavailable', 'We could not reach the server');
}

const createProblem = (code: ProblemCode, title: string): Problem => ({
  type: `urn:problem:${code}`,
  title,
  status: 503,
  code,
});

/**
 * The window event after a response that reports the end of the session. A listener that redirects prevents the
 * default.
 */
export const sessionEndedEvent = 'session-ended';

/** Long enough to upload a portrait from a slow phone. */
const requestTimeoutMs = 60_000;

/**
 * Calls the API from the browser.
 * @throws ApiError; if no response arrives, its code is `unavailable` for GET requests (specification, section 8) and
 *   `auth/network-request-failed` for others
 */
export const callApi: Call = (async (name: Parameters<Call>[0], input?: object) => {
  const { method, url, body } = toWireRequest(name, input);
  let response: Response;
  try {
    response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(requestTimeoutMs),
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new ApiError(
      method === 'GET'
        ? createProblem('unavailable', 'You are offline, or we could not reach the server')
        : createProblem(
            'auth/network-request-failed',
            'We could not reach the server. Check your connection and try again',
          ),
    );
  }
  if (response.ok) return response.status === 204 ? undefined : response.json();
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  const problem = isProblem
    ? ((await response.json()) as Problem)
    : createProblem('unavailable', 'The server is not available');
  const isLeaving =
    problem.code === 'auth/unauthenticated' && !dispatchEvent(new Event(sessionEndedEvent, { cancelable: true }));
  // The page is about to be replaced, so an error on it would only flash. The promise never settles.
  if (isLeaving) return new Promise(() => undefined);
  throw new ApiError(problem);
}) as Call;

import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ActionMode } from '#contract/identity.ts';
import type { Problem } from '#contract/problem.ts';
import { ApiError, callApi } from '#web/platform/api.ts';

export type CodeState =
  | { readonly status: 'checking' }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'good'; readonly mode: ActionMode; readonly email: string; readonly isOwn: boolean };

const invalidActionCode: Problem = {
  type: 'urn:problem:auth/invalid-action-code',
  title: 'The link is not valid or has already been used',
  status: 400,
  code: 'auth/invalid-action-code',
};
const invalidLink: CodeState = { status: 'failed', error: new ApiError(invalidActionCode) };

/**
 * Checks the action code in the URL after the page has loaded. Checking does not use up the code (D5 in
 * docs/conformance.md). A missing code and a code of another mode are invalid links; a missing code is not sent to the
 * server.
 */
export function useActionCode(modes: readonly ActionMode[]): { code: string; state: CodeState } {
  const [params] = useSearchParams();
  const code = params.get('actionCode') ?? '';
  const [state, setState] = useState<CodeState>(code === '' ? invalidLink : { status: 'checking' });
  useEffect(() => {
    if (code === '') return undefined;
    let isCurrent = true;
    const settle = (next: CodeState) => {
      if (isCurrent) setState(next);
    };
    callApi('POST /api/identity/action-code/check', { body: { code } }).then(
      ({ mode, email, isOwn }) => settle(modes.includes(mode) ? { status: 'good', mode, email, isOwn } : invalidLink),
      (error: unknown) => settle({ status: 'failed', error }),
    );
    return () => {
      isCurrent = false;
    };
  }, [code, modes]);
  return { code, state };
}

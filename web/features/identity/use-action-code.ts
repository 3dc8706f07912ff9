import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { ActionMode } from '#contract/identity.ts';
import { callApi } from '../../platform/api.ts';

export type CodeState =
  | { readonly status: 'checking' }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'good'; readonly mode: ActionMode; readonly email: string; readonly isOwn: boolean };

/**
 * Checks the code in the address, from the page, after it has loaded: fetching the page does nothing, and checking does
 * not use the code up (decision 5). A code of another mode than the page is for counts as failed.
 */
export function useActionCode(modes: readonly ActionMode[]): { code: string; state: CodeState } {
  const [params] = useSearchParams();
  const code = params.get('actionCode') ?? '';
  const [state, setState] = useState<CodeState>({ status: 'checking' });
  useEffect(() => {
    let current = true;
    const settle = (next: CodeState) => {
      if (current) setState(next);
    };
    callApi('POST /api/identity/action-code/check', { body: { code } }).then(
      ({ mode, email, isOwn }) =>
        settle(
          modes.includes(mode)
            ? { status: 'good', mode, email, isOwn }
            : { status: 'failed', error: new Error('Another kind of link') },
        ),
      (error: unknown) => settle({ status: 'failed', error }),
    );
    return () => {
      current = false;
    };
  }, [code, modes]);
  return { code, state };
}

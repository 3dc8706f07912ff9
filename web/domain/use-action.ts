import { useState } from 'react';
import { problemOf } from '#web/platform/api.ts';
import { toast } from '#web/ui/toasts.ts';
import { messageOf } from './messages.ts';

export const toastFailure = (error: unknown): void => toast('error', messageOf(problemOf(error)));

/**
 * Returns `run`, which runs an action and shows its failure as a toast, and `isBusy` while it runs. See `useActions` for
 * actions of staff that need a recent password.
 */
export function useAction() {
  const [isBusy, setIsBusy] = useState(false);
  async function run(action: () => Promise<unknown>): Promise<void> {
    setIsBusy(true);
    await action().catch(toastFailure);
    setIsBusy(false);
  }
  return { isBusy, run };
}

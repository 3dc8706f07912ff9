import { useState } from 'react';
import { problemOf } from '#web/platform/api.ts';
import { toast } from '#web/ui/toasts.ts';
import { messageOf } from './messages.ts';

export const toastFailure = (error: unknown): void => toast('error', messageOf(problemOf(error)));

/** Runs actions that show a failure as a toast. */
export function useAction() {
  const [isBusy, setIsBusy] = useState(false);
  async function run(action: () => Promise<unknown>): Promise<void> {
    setIsBusy(true);
    await action().catch(toastFailure);
    setIsBusy(false);
  }
  return { isBusy, run };
}

import type { ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { problemOf } from '#web/platform/api.ts';
import { toast } from '#web/ui/toasts.ts';

type Action = () => Promise<string>;

export type RunAction = (action: Action, onDone?: () => void) => Promise<void>;

/**
 * Runs actions that need a recent password: asks for it if necessary, says the result or why the action was refused, and
 * loads the page again.
 * @returns `run`, and the password dialog to render
 */
export function useActions(): { run: RunAction; dialog: ReactNode } {
  const { revalidate } = useRevalidator();
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const run: RunAction = (action, onDone) =>
    runWithPassword(async () => {
      try {
        toast('success', await action());
        onDone?.();
      } catch (error) {
        const { code, detail } = problemOf(error);
        if (detail === undefined || (code !== 'staff/refused' && code !== 'permission-denied')) throw error;
        toast('error', detail);
      }
      await revalidate();
    });
  return { run, dialog };
}

import type { ReactNode } from 'react';
import { useRevalidator } from 'react-router';
import { usePasswordConfirmation } from '#web/domain/password-dialog.tsx';
import { problemOf } from '#web/platform/api.ts';
import { toast } from '#web/ui/toasts.ts';

/** @returns the text of the toast */
type Act = () => Promise<string>;

/** @param onDone called after an act that was carried out */
export type RunAct = (act: Act, onDone?: () => void) => Promise<void>;

/**
 * Runs acts that need a recent password: asks for it if necessary, says the result or why the act was refused, and
 * loads the page again.
 * @returns `run`, and the password dialog to render
 */
export function useActs(): { run: RunAct; dialog: ReactNode } {
  const { revalidate } = useRevalidator();
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const run: RunAct = (act, onDone) =>
    runWithPassword(async () => {
      try {
        toast('success', await act());
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

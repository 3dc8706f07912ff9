import { type ReactNode, useState } from 'react';
import * as z from 'zod/mini';
import { Password } from '#contract/fields.ts';
import type { Problem } from '#contract/problem.ts';
import { defineForm } from './define-form.ts';
import { messageOf } from './messages.ts';
import { problemOf } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useForm } from '#web/ui/use-form.ts';

type Action = () => Promise<void>;

const showToast = (problem: Problem) => toast('error', messageOf(problem));

/**
 * Runs actions that require a password entered within the last five minutes. If the server requires the password, shows
 * a dialog for it and then repeats the action.
 * @returns `runWithPassword`, which runs an action and shows its errors, by default as toasts, and the dialog to render
 */
export function usePasswordConfirmation(): {
  runWithPassword: (action: Action, onProblem?: (problem: Problem) => void) => Promise<void>;
  dialog: ReactNode;
} {
  const [pendingAction, setPendingAction] = useState<Action | null>(null);

  async function runWithPassword(action: Action, onProblem = showToast): Promise<void> {
    try {
      await action();
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'auth/requires-recent-login')
        setPendingAction(() => () => runWithPassword(action, onProblem));
      else onProblem(problem);
    }
  }

  return {
    runWithPassword,
    dialog: pendingAction && (
      <PasswordDialog
        onClose={() => setPendingAction(null)}
        onTyped={async () => {
          setPendingAction(null);
          await pendingAction();
        }}
      />
    ),
  };
}

const passwordForm = defineForm<{ password: string }>({
  schema: z.object({ password: Password }),
  send: async (call, body) => {
    await call('POST /api/identity/reauthenticate', { body });
    return {};
  },
  explain: (problem) => ({
    errors: { password: problem.code === 'auth/invalid-credential' ? 'Wrong password' : messageOf(problem) },
  }),
});

/** Entering the password also starts the hours in which staff can use the console. */
export function PasswordDialog({ onClose, onTyped }: { onClose: () => void; onTyped: Action }) {
  const form = useForm(passwordForm, { onSent: onTyped });
  return (
    <Dialog onClose={onClose} title="Confirm your password">
      <form className="grid gap-4" method="dialog" {...form.props}>
        <PasswordField
          label="Current password"
          hint="This prevents other people who use this device from changing your account."
          autoComplete="current-password"
          {...form.field('password')}
        />
        <DialogButtons onCancel={onClose}>
          <Button type="submit" busy={form.busy('Checking...')}>
            Continue
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

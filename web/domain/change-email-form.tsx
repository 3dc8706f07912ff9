import * as z from 'zod/mini';
import { Email, Password } from '#contract/fields.ts';
import type { User } from '#contract/identity.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/field.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { defineForm } from './define-form.ts';
import { messageOf } from './messages.ts';
import { setUser } from './session.ts';

interface Change {
  readonly user: User;
  readonly email: string;
  readonly pending: boolean;
}

const changeEmailForm = defineForm<{ email: string; password: string }, Change>({
  schema: z.object({ email: Email, password: Password }),
  send: async (call, { email, password }) => {
    await call('POST /api/identity/reauthenticate', { body: { password } });
    const change = await call('POST /api/identity/email', { body: { email } });
    return { data: { ...change, email }, ...(!change.pending && { success: 'Email Changed Successfully' }) };
  },
  explain: (problem) => {
    const formError = messageOf(problem);
    if (problem.code === 'auth/invalid-credential') return { formError, errors: { password: 'Wrong password' } };
    const advice =
      problem.code === 'auth/email-already-in-use'
        ? '. Use another address. If you already have an account with this one, sign out and sign in with it'
        : '';
    return { formError, errors: { email: problem.errors?.[0]?.message ?? formError + advice } };
  },
});

interface Props {
  hint: string;
  email?: string;
  onCancel?: () => void;
  onChanged: (change: Change) => void;
}

/** Requires the current password (D6 in docs/conformance.md). Keeps the input after an error. */
export function ChangeEmailForm({ hint, email: initial, onCancel, onChanged }: Props) {
  const form = useForm(changeEmailForm, {
    hasToasts: true,
    onSent: ({ data }) => {
      if (!data) return;
      setUser(data.user);
      onChanged(data);
    },
  });

  return (
    <form className="grid gap-4" method="dialog" {...form.props}>
      <TextField label="Email" type="email" autoComplete="email" hint={hint} {...form.field('email', initial)} />
      <PasswordField label="Current password" autoComplete="current-password" {...form.field('password')} />
      <div className={`flex flex-wrap gap-3 ${onCancel ? 'justify-end' : ''}`}>
        {onCancel && (
          <Button variant="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" busy={form.busy('Sending...')}>
          Save
        </Button>
      </div>
    </form>
  );
}

import * as z from 'zod/mini';
import { Email, Password } from '#contract/fields.ts';
import { callApi, problemOf } from '../platform/api.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import { toast } from '../ui/toasts.ts';
import { useSchemaForm } from '../ui/use-schema-form.ts';
import { messageOf } from './messages.ts';
import { setUser } from './session.ts';

const ChangeEmail = z.object({ email: Email, password: Password });

interface Props {
  /** One sentence about what happens after the change. */
  hint: string;
  /** The initial value of the email field. */
  email?: string;
  onCancel?: () => void;
  /** Runs after the change. `pending` is true until the new address is verified. */
  onChanged: (change: { email: string; pending: boolean }) => void;
}

/** Shows the form for a new address, with the current password (D6 in docs/conformance.md). It keeps the input after an error. */
export function ChangeEmailForm({ hint, email: initial, onCancel, onChanged }: Props) {
  const { form, field } = useSchemaForm(ChangeEmail);

  const change = form.handleSubmit(async ({ email, password }) => {
    try {
      await callApi('POST /api/identity/reauthenticate', { body: { password } });
    } catch (error) {
      const problem = problemOf(error);
      toast('error', messageOf(problem));
      if (problem.code === 'auth/invalid-credential')
        form.setError('password', { message: 'Wrong password' }, { shouldFocus: true });
      return;
    }
    try {
      const { user, pending } = await callApi('POST /api/identity/email', { body: { email } });
      setUser(user);
      if (!pending) toast('success', 'Email Changed Successfully');
      onChanged({ email, pending });
    } catch (error) {
      const problem = problemOf(error);
      toast('error', messageOf(problem));
      const advice =
        problem.code === 'auth/email-already-in-use'
          ? '. Use another address. If you already have an account with this one, sign out and sign in with it'
          : '';
      const message = problem.errors?.[0]?.message ?? messageOf(problem) + advice;
      form.setError('email', { message }, { shouldFocus: true });
    }
  });

  return (
    <form className="grid gap-4" method="post" noValidate onSubmit={change}>
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        hint={hint}
        defaultValue={initial}
        {...field('email')}
      />
      <PasswordField label="Current password" autoComplete="current-password" {...field('password')} />
      <div className={`flex flex-wrap gap-3 ${onCancel ? 'justify-end' : ''}`}>
        {onCancel && (
          <Button look="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
        <Button type="submit" busy={form.formState.isSubmitting && 'Sending...'}>
          Save
        </Button>
      </div>
    </form>
  );
}

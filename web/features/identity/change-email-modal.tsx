import { messageOf } from '../../domain/messages.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { ChangeEmailForm } from './schemas.ts';

interface Props {
  onClose: () => void;
  onChanged: () => void;
}

/** A mistyped address can be put right, with the password (decision 6). */
export function ChangeEmailModal({ onClose, onChanged }: Props) {
  return (
    <Dialog onClose={onClose} title="Change my email">
      <ChangeEmail onClose={onClose} onChanged={onChanged} />
    </Dialog>
  );
}

function ChangeEmail({ onClose, onChanged }: Props) {
  const { form, field } = useSchemaForm(ChangeEmailForm);

  const change = form.handleSubmit(async ({ email, password }) => {
    try {
      await callApi('POST /api/identity/reauthenticate', { body: { password } });
    } catch (error) {
      const problem = problemOf(error);
      toast('error', messageOf(problem));
      if (problem.code === 'auth/invalid-credential')
        form.setError('password', { message: 'This is not your password' }, { shouldFocus: true });
      return;
    }
    try {
      const { user } = await callApi('POST /api/identity/email', { body: { email } });
      setUser(user);
      toast('success', 'Email Changed Successfully');
      onClose();
      onChanged();
    } catch (error) {
      const problem = problemOf(error);
      toast('error', messageOf(problem));
      form.setError('email', { message: problem.errors?.[0]?.message ?? messageOf(problem) }, { shouldFocus: true });
    }
  });

  return (
    <form className="grid gap-4" method="post" noValidate onSubmit={change}>
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        hint="We send a new link there; the one in the old mailbox dies."
        {...field('email')}
      />
      <PasswordField label="Current password" autoComplete="current-password" {...field('password')} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" busy={form.formState.isSubmitting && 'Sending...'}>
          Save
        </Button>
      </div>
    </form>
  );
}

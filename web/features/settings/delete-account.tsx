import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import * as z from 'zod/mini';
import { Email, Password } from '#contract/fields.ts';
import { defineForm } from '#web/domain/define-form.ts';
import { messageOf } from '#web/domain/messages.ts';
import { paths } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { setUser } from '#web/domain/session.ts';
import { useAction } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { formatDate } from '#web/ui/day.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { TextField } from '#web/ui/field.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useForm } from '#web/ui/use-form.ts';

/** Typing the address of the account again prevents accidental deletion. */
const createConfirmForm = (accountEmail: string) =>
  defineForm<{ password: string }>({
    schema: z.object({
      email: Email.check(z.refine((typed) => typed === accountEmail, 'This is not the address of your account')),
      password: Password,
    }),
    send: async (call, { password }) => {
      await call('POST /api/identity/reauthenticate', { body: { password } });
      return {};
    },
    explain: (problem) => ({
      formError: messageOf(problem),
      ...(problem.code === 'auth/invalid-credential' && { errors: { password: 'Wrong password' } }),
    }),
  });

export function DeleteAccount() {
  const user = useUser();
  const [isConfirming, setIsConfirming] = useState(false);
  const confirmForm = useMemo(() => createConfirmForm(user?.email ?? ''), [user?.email]);
  const form = useForm(confirmForm, { hasToasts: true, onSent: () => setIsConfirming(true) });
  const { isBusy, run } = useAction();
  const navigate = useNavigate();

  async function deleteAccount() {
    await run(async () => {
      const { deletesAt } = await callApi('DELETE /api/identity/account');
      setUser(null);
      toast(
        'success',
        deletesAt === null
          ? 'Your account was deleted'
          : `Your profile is hidden. Your account will be deleted on ${formatDate(deletesAt)}`,
      );
      await navigate(paths.home, { replace: true });
    });
    setIsConfirming(false);
  }

  return (
    <div className="grid gap-4">
      <p className="max-w-[66ch]">
        Your account, your profile, your pictures and everything else that belongs to you here are deleted immediately.
        This cannot be undone. You can sign up again later.
      </p>
      <p className="max-w-[66ch]">
        If your email address was changed within the last 30 days, your profile is hidden immediately and you are signed
        out on all devices. The account is deleted when the 30 days are over. Until then, a link that we send to your
        old address can restore it.
      </p>
      <form className="grid max-w-[400px] gap-4" method="dialog" {...form.props}>
        <TextField
          label="Email"
          type="email"
          autoComplete="off"
          hint="Type the email address of your account to confirm."
          {...form.field('email')}
        />
        <PasswordField label="Current password" autoComplete="current-password" {...form.field('password')} />
        <Button type="submit" variant="danger" className="justify-self-start" busy={form.busy('Checking...')}>
          Delete my account
        </Button>
      </form>
      {isConfirming && (
        <Dialog onClose={() => setIsConfirming(false)} title="Delete your account permanently?">
          <p>
            This cannot be undone, unless you changed your email address in the last 30 days. Then a link sent to your
            old address can still restore the account.
          </p>
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="quiet" onClick={() => setIsConfirming(false)}>
              Keep it
            </Button>
            <Button variant="danger" busy={isBusy && 'Deleting...'} onClick={() => void deleteAccount()}>
              Yes, delete it
            </Button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { fieldLengths } from '#contract/field-lengths.ts';
import { redirectToasts } from '#web/domain/redirect-toasts.ts';
import { NewPasswordFields } from '#web/domain/password-rules.tsx';
import { paths } from '#web/domain/paths.ts';
import { invalidateUser } from '#web/domain/session.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Loader } from '#web/ui/loader.tsx';
import { PasswordField, UserNameField } from '#web/ui/password-field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { type PageForm, useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { newPasswordForm } from './forms.ts';
import { useActionCode } from './use-action-code.ts';

const modes = ['resetPassword'] as const;

/** Checks the action code first, and shows the form only for a valid code (specification, section 4). */
export function NewPasswordPage() {
  const { state } = useActionCode(modes);
  const navigate = useNavigate();
  const form = useForm(newPasswordForm, {
    hasToasts: true,
    onSent: () => {
      // The reset has ended all sessions of that account. This browser may be signed in to another account.
      invalidateUser();
      return navigate(paths.login, { replace: true });
    },
    onFailed: ({ goTo }) => goTo && navigate(goTo, { replace: true }),
  });
  const { posted } = form;

  useEffect(() => {
    if (state.status !== 'failed') return;
    toast(redirectToasts['verification-failed'].kind, redirectToasts['verification-failed'].text);
    void navigate(paths.resetPassword, { replace: true });
  }, [state, navigate]);

  if (state.status !== 'good') {
    return (
      <AuthFrame heading="New password" subtitle={posted ? undefined : 'Checking your link...'}>
        <FormResultNote result={posted} />
        {!posted && <Loader className="needs-scripts" />}
        <noscript>
          {import.meta.env.SSR &&
            (posted?.success ? <ButtonLink to={paths.login}>Sign in</ButtonLink> : <PlainForm form={form} />)}
        </noscript>
      </AuthFrame>
    );
  }
  return <ChooseForm form={form} email={state.email} />;
}

/** For browsers without JavaScript: the server checks the action code when the form is sent. */
function PlainForm({ form }: { form: PageForm }) {
  return (
    <form className="grid gap-4" method="post" noValidate>
      <PasswordField
        label="New password"
        autoComplete="new-password"
        hint={`${fieldLengths.passwordMin} to ${fieldLengths.passwordMax} characters. You will be signed out on all devices.`}
        {...form.field('password')}
      />
      <PasswordField label="Confirm password" autoComplete="new-password" {...form.field('confirmPassword')} />
      <Button type="submit">Reset password</Button>
    </form>
  );
}

function ChooseForm({ form, email }: { form: PageForm; email: string }) {
  return (
    <AuthFrame
      heading="Choose a new password"
      subtitle={
        <>
          For <strong className="font-semibold text-ink wrap-anywhere">{email}</strong>. You will be signed out on all
          devices.
        </>
      }
    >
      <form className="grid gap-4" method="post" {...form.props}>
        <UserNameField email={email} />
        <NewPasswordFields label="New password" typed={form.values['password']} email={email} field={form.field} />
        <Button type="submit" busy={form.busy('Resetting password...')}>
          Reset password
        </Button>
      </form>
    </AuthFrame>
  );
}

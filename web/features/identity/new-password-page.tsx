import { useEffect } from 'react';
import { useActionData, useNavigate } from 'react-router';
import { fieldLengths } from '#contract/field-lengths.ts';
import { messageOf } from '../../domain/messages.ts';
import { redirectToasts } from '../../domain/redirect-toasts.ts';
import { getPasswordAdvice } from '../../domain/password-advice.ts';
import { NewPasswordFields } from '../../domain/password-rules.tsx';
import { paths } from '../../domain/paths.ts';
import { invalidateUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Loader } from '../../ui/loader.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { NewPasswordForm } from './schemas.ts';
import { FormResultNote } from './form-result-note.tsx';
import type { FormResult } from './form-result.ts';
import { useActionCode } from './use-action-code.ts';

const modes = ['resetPassword'] as const;

/** Checks the action code first, and shows the form only for a valid code (specification, section 4). */
export function NewPasswordPage() {
  const { code, state } = useActionCode(modes);
  const navigate = useNavigate();
  const formResult = useActionData<FormResult>();

  useEffect(() => {
    if (state.status !== 'failed') return;
    toast(redirectToasts['verification-failed'].kind, redirectToasts['verification-failed'].text);
    void navigate(paths.resetPassword, { replace: true });
  }, [state, navigate]);

  if (state.status !== 'good') {
    return (
      <AuthFrame heading="New password" subtitle={formResult ? undefined : 'Checking your link...'}>
        <FormResultNote formResult={formResult} />
        {!formResult && <Loader className="needs-scripts" />}
        <noscript>
          {import.meta.env.SSR &&
            (formResult?.success ? (
              <ButtonLink to={paths.login}>Sign in</ButtonLink>
            ) : (
              <PlainForm formResult={formResult} />
            ))}
        </noscript>
      </AuthFrame>
    );
  }
  return <ChooseForm code={code} email={state.email} />;
}

/** Renders the form for browsers without JavaScript. The server checks the action code when the form is sent. */
function PlainForm({ formResult }: { formResult: FormResult | undefined }) {
  return (
    <form className="grid gap-4" method="post" noValidate>
      <PasswordField
        label="New password"
        name="password"
        autoComplete="new-password"
        hint={`${fieldLengths.passwordMin} to ${fieldLengths.passwordMax} characters. You will be signed out on all devices.`}
        error={formResult?.errors?.['password']}
      />
      <PasswordField
        label="Confirm password"
        name="confirmPassword"
        autoComplete="new-password"
        error={formResult?.errors?.['confirmPassword']}
      />
      <Button type="submit">Reset password</Button>
    </form>
  );
}

function ChooseForm({ code, email }: { code: string; email: string }) {
  const { form, field } = useSchemaForm(NewPasswordForm);
  const navigate = useNavigate();

  const choose = form.handleSubmit(async ({ password }) => {
    try {
      await callApi('POST /api/identity/password-reset/confirm', { body: { code, password } });
      // The reset has ended all sessions of that account. This browser may be signed in to another account.
      invalidateUser();
      toast('success', 'Password changed successfully');
      await navigate(paths.login, { replace: true });
    } catch (error) {
      const problem = problemOf(error);
      toast('error', 'Error changing password');
      const message =
        problem.code === 'auth/password-does-not-meet-requirements'
          ? await getPasswordAdvice(password, email)
          : messageOf(problem);
      form.setError('password', { message }, { shouldFocus: true });
    }
  });

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
      <form className="grid gap-4" method="post" noValidate onSubmit={choose}>
        {/* Password managers read the account name from this field. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <NewPasswordFields label="New password" typed={form.watch('password')} email={email} field={field} />
        <Button type="submit" busy={form.formState.isSubmitting && 'Resetting password...'}>
          Reset password
        </Button>
      </form>
    </AuthFrame>
  );
}

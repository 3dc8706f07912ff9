import { Icon } from '../../ui/icon.tsx';
import { useState } from 'react';
import { Link, useActionData, useLocation } from 'react-router';
import { messageOf } from '../../domain/messages.ts';
import { paths } from '../../domain/paths.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { getEmailFromState } from './refused-email.tsx';
import { ResetRequestForm } from './schemas.ts';
import { FormResultNote } from './form-result-note.tsx';
import { type FormResult, getSubmittedProps } from './form-result.ts';

export function ResetPasswordPage() {
  const { form, field } = useSchemaForm(ResetRequestForm);
  const { state } = useLocation();
  const formResult = useActionData<FormResult>();
  const email = field('email');
  const [sentTo, setSentTo] = useState<string | null>(formResult?.sentTo ?? null);

  const request = form.handleSubmit(async (body) => {
    try {
      await callApi('POST /api/identity/password-reset', { body });
      toast('success', 'Reset email sent');
      setSentTo(body.email);
    } catch (error) {
      toast('error', 'Failed');
      form.setError('email', { message: messageOf(problemOf(error)) });
    }
  });

  return (
    <AuthFrame
      heading="Reset your password"
      subtitle="Enter the email address of your account. We will send you a link to choose a new password."
    >
      {sentTo !== null && (
        <div role="status" className="flex items-start gap-3 rounded-card bg-wash p-4 text-sm">
          <Icon name="mail-check" className="mt-0.5 size-5 shrink-0 text-brand" />
          <p>
            If <strong className="wrap-anywhere">{sentTo}</strong> has an account, you will receive a link. It works for
            one hour.
          </p>
        </div>
      )}
      <form className="grid gap-4" method="post" noValidate onSubmit={request}>
        <FormResultNote formResult={formResult} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          {...getEmailFromState(state)}
          {...email}
          {...getSubmittedProps(formResult, 'email', email.error)}
        />
        <Button type="submit" busy={form.formState.isSubmitting && 'Sending...'}>
          Send reset link
        </Button>
      </form>
      <p className="text-center text-ink-soft">
        Remember your password?{' '}
        <Link to={paths.login} className="link">
          Sign in
        </Link>
      </p>
    </AuthFrame>
  );
}

import { Icon } from '#web/ui/icon.tsx';
import { Link, useLocation } from 'react-router';
import { paths } from '#web/domain/paths.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/field.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { resetRequestForm } from './forms.ts';
import { getEmailFromState } from './refused-email.tsx';

export function ResetPasswordPage() {
  const form = useForm(resetRequestForm, { hasToasts: true });
  const { state } = useLocation();
  const sentTo = form.result?.data;

  return (
    <AuthFrame
      heading="Reset your password"
      subtitle="Enter the email address of your account. We will send you a link to choose a new password."
    >
      {sentTo !== undefined && (
        <div role="status" className="flex items-start gap-3 rounded-card bg-wash p-4 text-sm">
          <Icon name="mail-check" className="mt-0.5 size-5 shrink-0 text-brand" />
          <p>
            If <strong className="wrap-anywhere">{sentTo}</strong> has an account, you will receive a link. It works for
            one hour.
          </p>
        </div>
      )}
      <form className="grid gap-4" method="post" {...form.props}>
        <FormResultNote result={form.posted} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          {...form.field('email', getEmailFromState(state))}
        />
        <Button type="submit" busy={form.busy('Sending...')}>
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

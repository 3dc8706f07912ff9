import { Link, useNavigate, useSearchParams } from 'react-router';
import { termsVersion } from '#contract/terms.ts';
import { NewPasswordFields } from '#web/domain/password-rules.tsx';
import { paths } from '#web/domain/paths.ts';
import { setUser } from '#web/domain/session.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { TextField } from '#web/ui/field.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { CampusLink } from './campus-link.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { signUpForm } from './forms.ts';
import { RefusedEmail } from './refused-email.tsx';

export function SignUpPage() {
  const navigate = useNavigate();
  const form = useForm(signUpForm, {
    hasToasts: true,
    onSent: async ({ data }) => {
      setUser(data ?? null);
      await navigate(paths.sendVerification, { replace: true });
    },
  });
  const { result, values } = form;
  const email = form.field('email');
  const isRefused = result?.code === 'auth/email-already-in-use' && email.error === result.errors?.['email'];

  return (
    <AuthFrame
      heading="Join the archive"
      subtitle="Create an account to find the people you studied with, and to let them find you."
    >
      <form className="grid gap-4" method="post" {...form.props}>
        <FormResultNote result={form.posted} />
        <input type="hidden" name="terms" value={termsVersion} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          hint="Use an address that you will keep after you graduate."
          {...email}
          error={
            email.error && isRefused ? (
              <RefusedEmail email={values['email'] ?? ''} message={email.error} />
            ) : (
              email.error
            )
          }
        />
        <NewPasswordFields label="Password" typed={values['password']} email={values['email']} field={form.field} />
        <TermsLine error={form.field('terms').error} />
        <Button type="submit" busy={form.busy('Signing up...')}>
          Sign up
        </Button>
      </form>
      <p className="text-center text-ink-soft">
        Already have an account?{' '}
        <Link to={paths.login} className="link">
          Sign in
        </Link>
      </p>
      <CampusLink from={useSearchParams()[0].get('from')} />
    </AuthFrame>
  );
}

export const TermsLine = ({ error }: { error: string | undefined }) => (
  <>
    <p className="text-sm text-ink-soft">
      By signing up you accept the{' '}
      <Link to={paths.terms} className="link">
        terms and conditions
      </Link>{' '}
      of{' '}
      <span className="whitespace-nowrap">
        <Day of={termsVersion} />
      </span>{' '}
      and the{' '}
      <Link to={paths.privacy} className="link">
        privacy policy
      </Link>
      .
    </p>
    {error && (
      <p role="alert" className="text-sm text-danger">
        {error}
      </p>
    )}
  </>
);

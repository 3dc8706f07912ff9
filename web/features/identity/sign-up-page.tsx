import { useState } from 'react';
import { Link, useActionData, useNavigate } from 'react-router';
import { termsVersion } from '#contract/terms.ts';
import { messageOf } from '../../domain/messages.ts';
import { getPasswordAdvice } from '../../domain/password-advice.ts';
import { NewPasswordFields } from '../../domain/password-rules.tsx';
import { paths } from '../../domain/paths.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { Day } from '../../ui/day.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { RefusedEmail } from './refused-email.tsx';
import { SignUpForm } from './schemas.ts';
import { FormResultNote } from './form-result-note.tsx';
import { type FormResult, getSubmittedProps } from './form-result.ts';

export function SignUpPage() {
  const { form, field } = useSchemaForm(SignUpForm);
  const navigate = useNavigate();
  const formResult = useActionData<FormResult>();
  // The message stays until the address is edited: if it disappeared on blur, its links would move while they are pressed.
  const [refusedEmail, setRefusedEmail] = useState(formResult?.refusedEmail ?? null);
  const getFieldProps: typeof field = (name, options) => {
    const input = field(name, options);
    return { ...input, ...getSubmittedProps(formResult, name, input.error) };
  };
  const email = getFieldProps('email');
  const typedEmail = form.watch('email');
  // Before hydration, the value of the field is not known.
  const isRefused = refusedEmail?.email === (typedEmail ?? refusedEmail?.email);

  const signUp = form.handleSubmit(async ({ email, password }) => {
    try {
      const { user } = await callApi('POST /api/identity/sign-up', { body: { email, password, terms: termsVersion } });
      setUser(user);
      toast('success', 'Signed up successfully');
      await navigate(paths.sendVerification, { replace: true });
    } catch (error) {
      const problem = problemOf(error);
      // The specification fixes the text of the toast. The advice is shown at the field.
      toast('error', 'Sign up failed');
      if (problem.code === 'auth/password-does-not-meet-requirements') {
        form.setError('password', { message: await getPasswordAdvice(password, email) }, { shouldFocus: true });
      } else if (problem.code === 'terms-changed') {
        form.setError('root', { message: messageOf(problem) });
      } else if (problem.code === 'auth/email-already-in-use') {
        setRefusedEmail({ email: form.getValues('email'), message: messageOf(problem) });
        form.setFocus('email');
      } else {
        form.setError('email', { message: messageOf(problem) }, { shouldFocus: true });
      }
    }
  });

  return (
    <AuthFrame
      heading="Join the archive"
      subtitle="Create an account to find the people you studied with, and to let them find you."
    >
      <form className="grid gap-4" method="post" noValidate onSubmit={signUp}>
        <FormResultNote formResult={formResult} />
        <input type="hidden" name="terms" value={termsVersion} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          hint="Use an address that you will keep after you graduate."
          {...email}
          {...(refusedEmail && isRefused && !email.error && { error: <RefusedEmail {...refusedEmail} /> })}
        />
        <NewPasswordFields label="Password" typed={form.watch('password')} email={typedEmail} field={getFieldProps} />
        <p className="text-sm text-ink-soft">
          By signing up you accept the{' '}
          <Link to={paths.terms} className="link">
            terms and conditions
          </Link>{' '}
          of <Day of={termsVersion} /> and the{' '}
          <Link to={paths.privacy} className="link">
            privacy policy
          </Link>
          .
        </p>
        {form.formState.errors.root && (
          <p role="alert" className="text-sm text-danger">
            {form.formState.errors.root.message}
          </p>
        )}
        <Button type="submit" busy={form.formState.isSubmitting && 'Signing up...'}>
          Sign up
        </Button>
      </form>
      <p className="text-center text-ink-soft">
        Already have an account?{' '}
        <Link to={paths.login} className="link">
          Sign in
        </Link>
      </p>
    </AuthFrame>
  );
}

import { useState } from 'react';
import { Link, useActionData, useLocation, useNavigate, useSearchParams } from 'react-router';
import type { User } from '#contract/identity.ts';
import { messageOf } from '../../domain/messages.ts';
import { authenticateWithPasskey } from '../../domain/passkeys.ts';
import { paths } from '../../domain/paths.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { pathAfterSignIn } from './local-path.ts';
import { signInMessageOf } from './sign-in-message.ts';
import { getEmailFromState } from './refused-email.tsx';
import { SignInForm } from './schemas.ts';
import { SecondStep } from './second-step.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { type FormResult, getSubmittedProps, type SecondFactorMethods } from './form-result.ts';

export function LoginPage() {
  const { form, field } = useSchemaForm(SignInForm);
  const navigate = useNavigate();
  const { state } = useLocation();
  const formResult = useActionData<FormResult>();
  const [params] = useSearchParams();
  /** The second factors that can complete the sign-in, after a correct password; null before that. */
  const [methods, setMethods] = useState<SecondFactorMethods | null>(formResult?.methods ?? null);
  const [isWaitingForPasskey, setIsWaitingForPasskey] = useState(false);

  const email = field('email');
  const password = field('password');

  async function completeSignIn(user: User) {
    setUser(user);
    toast('success', 'Welcome');
    await navigate(pathAfterSignIn(user, params.get('from')), { replace: true });
  }

  const signIn = form.handleSubmit(async (body) => {
    try {
      const { user } = await callApi('POST /api/identity/sign-in', { body });
      await completeSignIn(user);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'auth/multi-factor-required') await requestSecondFactor();
      else toast('error', signInMessageOf(problem));
    }
  });

  async function requestSecondFactor() {
    try {
      setMethods(await callApi('GET /api/identity/sign-in/second-factor'));
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    }
  }

  async function signInWithPasskey() {
    setIsWaitingForPasskey(true);
    try {
      const passkey = await authenticateWithPasskey(await callApi('POST /api/identity/sign-in/passkey/options'));
      if (passkey)
        await completeSignIn((await callApi('POST /api/identity/sign-in/passkey', { body: { passkey } })).user);
    } catch (error) {
      toast('error', signInMessageOf(problemOf(error)));
    } finally {
      setIsWaitingForPasskey(false);
    }
  }

  if (methods)
    return (
      <SecondStep
        methods={methods}
        formResult={formResult}
        onEntered={completeSignIn}
        onBack={() => setMethods(null)}
      />
    );
  return (
    <AuthFrame heading="Welcome back" subtitle="Sign in to see people from your department and to manage your profile.">
      <form className="grid gap-4" method="post" noValidate onSubmit={signIn}>
        <FormResultNote formResult={formResult} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          {...getEmailFromState(state)}
          {...email}
          {...getSubmittedProps(formResult, 'email', email.error)}
        />
        <div className="grid gap-1">
          <PasswordField
            label="Password"
            autoComplete="current-password"
            {...password}
            {...getSubmittedProps(formResult, 'password', password.error)}
          />
          <Link to={paths.resetPassword} className="link justify-self-end py-1.5 text-sm">
            Forgot your password?
          </Link>
        </div>
        <Button type="submit" busy={form.formState.isSubmitting && 'Signing in...'}>
          Sign in
        </Button>
        <Button
          look="bare"
          className="justify-self-center text-sm underline"
          busy={isWaitingForPasskey && 'Waiting for your passkey...'}
          onClick={() => void signInWithPasskey()}
        >
          Use a passkey instead
        </Button>
      </form>
      <p className="text-center text-ink-soft">
        New here?{' '}
        <Link to={paths.signUp} className="link">
          Sign up
        </Link>
      </p>
    </AuthFrame>
  );
}

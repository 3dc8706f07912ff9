import { useState } from 'react';
import { useActionData, useLocation, useNavigate, useSearchParams } from 'react-router';
import type { User } from '#contract/identity.ts';
import { Link } from '../../platform/link.tsx';
import { nextStep } from '../../domain/guards.ts';
import { messageOf } from '../../domain/messages.ts';
import { showPasskey } from '../../domain/passkeys.ts';
import { ownPath, paths } from '../../domain/paths.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { emailInState } from './refused-email.tsx';
import { SignInForm } from './schemas.ts';
import { SecondStep, type Ways } from './second-step.tsx';
import { SentNote } from './sent-note.tsx';
import { type Sent, shownAgain } from './sent.ts';

export function LoginPage() {
  const { form, field } = useSchemaForm(SignInForm);
  const navigate = useNavigate();
  const { state } = useLocation();
  const sent = useActionData<Sent>();
  const [params] = useSearchParams();
  /** With what the sign-in can be completed, once the password was right and is not enough. */
  const [ways, setWays] = useState<Ways | null>(sent?.ways ?? null);
  const [isAsking, setAsking] = useState(false);

  const email = field('email');
  const word = field('password');

  async function enter(user: User) {
    setUser(user);
    toast('success', 'Welcome');
    await navigate(nextStep(user) ?? ownPath(params.get('from')) ?? paths.dashboard, { replace: true });
  }

  const signIn = form.handleSubmit(async (body) => {
    try {
      const { user } = await callApi('POST /api/identity/sign-in', { body });
      await enter(user);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'auth/multi-factor-required') await askForMore();
      else toast('error', messageOf(problem));
    }
  });

  async function askForMore() {
    try {
      setWays(await callApi('GET /api/identity/sign-in/second-factor'));
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    }
  }

  async function signInWithPasskey() {
    setAsking(true);
    try {
      const passkey = await showPasskey(await callApi('POST /api/identity/sign-in/passkey/options'));
      if (passkey) await enter((await callApi('POST /api/identity/sign-in/passkey', { body: { passkey } })).user);
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    } finally {
      setAsking(false);
    }
  }

  if (ways) return <SecondStep ways={ways} sent={sent} onEntered={enter} onBack={() => setWays(null)} />;
  return (
    <AuthFrame heading="Welcome back" subtitle="Sign in to see people from your department and to manage your profile.">
      <form className="grid gap-4" method="post" noValidate onSubmit={signIn}>
        <SentNote sent={sent} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          {...emailInState(state)}
          {...email}
          {...shownAgain(sent, 'email', email.error)}
        />
        <div className="grid gap-1">
          <PasswordField
            label="Password"
            autoComplete="current-password"
            {...word}
            {...shownAgain(sent, 'password', word.error)}
          />
          <Link to={paths.resetPassword} className="link justify-self-end py-1.5 text-sm">
            Forgot your password?
          </Link>
        </div>
        <Button type="submit" busy={form.formState.isSubmitting && 'Signing in...'}>
          Sign in
        </Button>
        <Button look="quiet" busy={isAsking && 'Waiting for your passkey...'} onClick={() => void signInWithPasskey()}>
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

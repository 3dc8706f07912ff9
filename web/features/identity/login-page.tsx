import { useState } from 'react';
import { Link, useLoaderData, useLocation, useNavigate, useSearchParams } from 'react-router';
import type { User } from '#contract/identity.ts';
import { authenticateWithPasskey } from '#web/domain/passkeys.ts';
import { paths } from '#web/domain/paths.ts';
import { setUser } from '#web/domain/session.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/field.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { type PageForm, useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { pathAfterSignIn } from './local-path.ts';
import { signInMessageOf } from './sign-in-message.ts';
import { getEmailFromState } from './refused-email.tsx';
import { type SecondFactorMethods, type SignInData, signInForm } from './forms.ts';
import { SecondStep } from './second-step.tsx';
import { CampusLink } from './campus-link.tsx';
import { FormResultNote } from './form-result-note.tsx';

export function LoginPage() {
  const navigate = useNavigate();
  const { state } = useLocation();
  const [params] = useSearchParams();
  const arrived = useLoaderData<SecondFactorMethods | null>();
  const form: PageForm<SignInData> = useForm(signInForm, {
    hasToasts: true,
    onSent: ({ data }) => data?.user && enter(data.user),
    onFailed: ({ data }) => setMethods(data?.methods ?? null),
  });
  const [methods, setMethods] = useState<SecondFactorMethods | null>(form.posted?.data?.methods ?? arrived);
  const [typed, setTyped] = useState<typeof form.values>({});
  const [isWaitingForPasskey, setIsWaitingForPasskey] = useState(false);

  async function enter(user: User) {
    setUser(user);
    await navigate(pathAfterSignIn(user, params.get('from')), { replace: true });
  }

  async function signInWithPasskey() {
    setIsWaitingForPasskey(true);
    try {
      const passkey = await authenticateWithPasskey(await callApi('POST /api/identity/sign-in/passkey/options'));
      if (!passkey) return;
      const { user } = await callApi('POST /api/identity/sign-in/passkey', { body: { passkey } });
      toast('success', 'Welcome');
      await enter(user);
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
        onEntered={enter}
        onBack={() => {
          setTyped(form.values);
          setMethods(null);
        }}
      />
    );
  return (
    <AuthFrame
      heading="Welcome back"
      subtitle={reword('Sign in to see people from your department and to manage your profile.')}
    >
      <form className="grid gap-4" method="post" {...form.props}>
        <FormResultNote result={form.posted} />
        <TextField
          label="Email"
          type="email"
          autoComplete="username"
          {...form.field('email', typed['email'] ?? getEmailFromState(state))}
        />
        <div className="grid gap-1">
          <PasswordField
            label="Password"
            autoComplete="current-password"
            {...form.field('password', typed['password'])}
          />
          <Link to={paths.resetPassword} className="link justify-self-end py-1.5 text-sm">
            Forgot your password?
          </Link>
        </div>
        <Button type="submit" busy={form.busy('Signing in...')}>
          Sign in
        </Button>
        <Button
          variant="bare"
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
      <CampusLink from={params.get('from')} />
    </AuthFrame>
  );
}

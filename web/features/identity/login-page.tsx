import { useNavigate, useSearchParams } from 'react-router';
import { Link } from '../../platform/link.tsx';
import { nextStep } from '../../domain/guards.ts';
import { messageOf } from '../../domain/messages.ts';
import { ownPath, paths } from '../../domain/paths.ts';
import { setUser } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { SignInForm } from './schemas.ts';

export function LoginPage() {
  const { form, field } = useSchemaForm(SignInForm);
  const navigate = useNavigate();
  const [params] = useSearchParams();

  const signIn = form.handleSubmit(async (body) => {
    try {
      const { user } = await callApi('POST /api/identity/sign-in', { body });
      setUser(user);
      toast('success', 'Welcome');
      await navigate(nextStep(user) ?? ownPath(params.get('from')) ?? paths.dashboard, { replace: true });
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    }
  });

  return (
    <AuthFrame heading="Welcome back" subtitle="Sign in to see your department, and to be found by it.">
      <form className="grid gap-4" method="post" noValidate onSubmit={signIn}>
        <TextField label="Email" type="email" autoComplete="username" {...field('email')} />
        <div className="grid gap-1">
          <PasswordField label="Password" autoComplete="current-password" {...field('password')} />
          <Link to={paths.resetPassword} className="link justify-self-end py-1.5 text-sm">
            Forgot your password?
          </Link>
        </div>
        <Button type="submit" busy={form.formState.isSubmitting && 'Signing in...'}>
          Sign in
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

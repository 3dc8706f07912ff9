import { useCallback, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { verifiedRedirectDelayMs } from '#contract/durations.ts';
import { redirectToasts } from '#web/domain/redirect-toasts.ts';
import { paths } from '#web/domain/paths.ts';
import { invalidateUser } from '#web/domain/session.ts';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Drawing } from '#web/ui/drawing.tsx';
import { Loader } from '#web/ui/loader.tsx';
import { toast } from '#web/ui/toasts.ts';
import { AuthFrame } from './auth-frame.tsx';
import { useActionCode } from './use-action-code.ts';

const modes = ['verifyEmail', 'verifyAndChangeEmail'] as const;

/**
 * Checks and applies the action code, shows the congratulations, and opens the onboarding after five seconds. If the
 * account is not signed in, the page requires confirmation. Mail scanners open links and run scripts, and must not
 * verify an address that a stranger has entered.
 */
export function VerifyEmailPage() {
  const { code, state } = useActionCode(modes);
  const [verifiedEmail, setVerifiedEmail] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const navigate = useNavigate();

  const fail = useCallback(() => {
    toast(redirectToasts['verification-failed'].kind, redirectToasts['verification-failed'].text);
    void navigate(paths.login, { replace: true });
  }, [navigate]);
  const apply = useCallback(async () => {
    setIsBusy(true);
    const { mode, email } = await callApi('POST /api/identity/action-code/apply', { body: { code } });
    invalidateUser();
    if (mode === 'verifyAndChangeEmail') toast('success', 'Email Changed Successfully');
    setVerifiedEmail(email);
  }, [code]);

  useEffect(() => {
    if (state.status === 'failed') return fail();
    if (state.status === 'checking' || !state.isOwn) return undefined;
    let isCurrent = true;
    apply().catch(() => isCurrent && fail());
    return () => {
      isCurrent = false;
    };
  }, [state, apply, fail]);

  if (verifiedEmail !== null && state.status === 'good') {
    return <Congratulations email={verifiedEmail} isNew={state.mode === 'verifyEmail'} />;
  }
  if (state.status === 'good' && !state.isOwn) {
    return (
      <AuthFrame
        heading="Is this address yours?"
        subtitle={
          <>
            Someone entered <strong className="font-semibold text-ink wrap-anywhere">{state.email}</strong> for an
            account here. If that was you, confirm the address. If not, close this page and nothing will change.
          </>
        }
      >
        <Button busy={isBusy && 'Verifying...'} onClick={() => void apply().catch(fail)}>
          Confirm my address
        </Button>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame heading="Verifying your email" subtitle="This takes a moment.">
      <Loader className="needs-scripts" />
      <noscript>
        {import.meta.env.SSR && (
          <form method="post" className="grid gap-3">
            <p>Someone entered this address for an account here. If that was you, confirm the address.</p>
            <Button type="submit">Confirm my address</Button>
          </form>
        )}
      </noscript>
    </AuthFrame>
  );
}

/**
 * The user can continue immediately or stop the redirect (WCAG 2.2, 2.2.1).
 * @param isNew whether this is a new account and not an email change
 */
function Congratulations({ email, isNew }: { email: string; isNew: boolean }) {
  const navigate = useNavigate();
  const [isWaiting, setIsWaiting] = useState(true);
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setTimeout(() => void navigate(paths.onboarding, { replace: true }), verifiedRedirectDelayMs);
    return () => clearTimeout(timer);
  }, [isWaiting, navigate]);

  return (
    <AuthFrame
      heading="Congratulations!"
      subtitle={
        <>
          <strong className="font-semibold text-ink wrap-anywhere">{email}</strong>{' '}
          {isNew
            ? 'is verified. Next, complete your profile in five short steps.'
            : 'is now the address of your account. Use it to sign in from now on.'}
        </>
      }
    >
      <Drawing name="gown" />
      <p role="status" className="text-ink-soft">
        {isWaiting ? 'This page continues in 5 seconds.' : 'Continue when you are ready.'}
      </p>
      <div className="grid gap-3">
        <Button onClick={() => void navigate(paths.onboarding, { replace: true })}>Continue</Button>
        {isWaiting && (
          <Button variant="bare" onClick={() => setIsWaiting(false)}>
            Stay here
          </Button>
        )}
      </div>
    </AuthFrame>
  );
}

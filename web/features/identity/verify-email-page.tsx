import { Icon } from '../../ui/icon.tsx';
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { verifiedRedirectDelay } from '#contract/times.ts';
import { notices } from '../../domain/notices.ts';
import { paths } from '../../domain/paths.ts';
import { userHasChanged } from '../../domain/session.ts';
import { callApi } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { Loader } from '../../ui/loader.tsx';
import { toast } from '../../ui/toasts.ts';
import { AuthFrame } from './auth-frame.tsx';
import { useActionCode } from './use-action-code.ts';

const modes = ['verifyEmail', 'verifyAndChangeEmail'] as const;

/** Checks the code, applies it, congratulates, and goes on to the onboarding after five seconds. */
export function VerifyEmailPage() {
  const { code, state } = useActionCode(modes);
  const [verified, setVerified] = useState<string | null>(null);
  const navigate = useNavigate();

  useEffect(() => {
    if (state.status === 'checking') return undefined;
    let current = true;
    const fail = () => {
      if (!current) return;
      toast(notices['verification-failed'].kind, notices['verification-failed'].text);
      void navigate(paths.login, { replace: true });
    };
    if (state.status === 'failed') {
      fail();
    } else {
      callApi('POST /api/identity/action-code/apply', { body: { code } }).then(({ email }) => {
        userHasChanged();
        if (current) setVerified(email);
      }, fail);
    }
    return () => {
      current = false;
    };
  }, [state, code, navigate]);

  if (verified === null) {
    return (
      <AuthFrame heading="Verifying your email" subtitle="One moment.">
        <Loader />
      </AuthFrame>
    );
  }
  return <Congratulations email={verified} />;
}

/** The way on comes by itself, and can be had sooner or stopped (WCAG 2.2, 2.2.1). */
function Congratulations({ email }: { email: string }) {
  const navigate = useNavigate();
  const [waiting, setWaiting] = useState(true);
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setTimeout(() => void navigate(paths.onboarding, { replace: true }), verifiedRedirectDelay);
    return () => clearTimeout(timer);
  }, [waiting, navigate]);

  return (
    <AuthFrame
      heading="Congratulations!"
      subtitle={
        <>
          <strong className="font-semibold text-ink wrap-anywhere">{email}</strong> is verified. Next comes your
          profile: five short steps.
        </>
      }
    >
      <Icon name="party-popper" className="size-16 justify-self-center text-brand" />
      <p role="status" className="text-center text-ink-soft">
        {waiting ? 'We take you there in 5 seconds.' : 'Take your time.'}
      </p>
      <div className="grid gap-3">
        <Button onClick={() => void navigate(paths.onboarding, { replace: true })}>Continue</Button>
        {waiting && (
          <Button look="bare" onClick={() => setWaiting(false)}>
            Stay here
          </Button>
        )}
      </div>
    </AuthFrame>
  );
}

import { Icon } from '#web/ui/icon.tsx';
import { useEffect, useState } from 'react';
import { useLoaderData, useNavigate, useRevalidator } from 'react-router';
import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { paths } from '#web/domain/paths.ts';
import { useUser } from '#web/domain/root-data.ts';
import { refreshUser, signOut } from '#web/domain/session.ts';
import { UndeliveredNote, useUndeliveredPolling } from '#web/domain/undelivered.tsx';
import { toastFailure } from '#web/domain/use-action.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { ChangeEmailModal } from './change-email-modal.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { resendForm } from './forms.ts';
import { formatCountdown, useCountdown } from './use-countdown.ts';

/** The address may be verified on another device. */
const pollIntervalMs = 10_000;

export function SendVerificationPage() {
  const { retryAfter, undelivered } = useLoaderData<CallResult<Endpoints['GET /api/identity/verification']>>();
  const [secondsLeft, restart] = useCountdown(retryAfter);
  const form = useForm(resendForm, {
    hasToasts: true,
    onSent: ({ data = 0 }) => restart(data),
    onFailed: ({ data }) => data !== undefined && restart(data),
  });
  const [isChangingEmail, setIsChangingEmail] = useState(false);
  const user = useUser();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  useContinueOnceVerified();
  useUndeliveredPolling(undelivered, true);

  /** This page has no menu, and on a shared computer the session may belong to another person. */
  async function signOutAndLeave() {
    try {
      await signOut();
      await navigate(paths.login);
    } catch (error) {
      toastFailure(error);
    }
  }

  return (
    <AuthFrame
      heading="Verify your email"
      subtitle={
        !undelivered && (
          <>
            We sent a verification link to{' '}
            <strong className="font-semibold text-ink inline-block max-w-full wrap-anywhere">{user?.email}</strong>.
            Open it within three days.
          </>
        )
      }
    >
      {undelivered ? (
        <UndeliveredNote of={undelivered}>Check the address or change it.</UndeliveredNote>
      ) : (
        <div className="flex items-start gap-3 rounded-card bg-wash p-4">
          <Icon name="mail-check" className="mt-0.5 size-5 shrink-0 text-brand" />
          <div className="grid gap-1">
            <p className="font-semibold">Open the link in that email.</p>
            <p className="text-sm text-ink-soft">
              Any device will do: this page continues by itself. No email after a few minutes? Check your spam folder,
              then send it again.
            </p>
          </div>
        </div>
      )}
      <FormResultNote result={form.posted} />
      <noscript>
        {import.meta.env.SSR && (
          <form method="post" className="grid gap-3">
            <p>
              Without JavaScript, this page does not continue by itself. Open the link in the email, or request another
              email.
            </p>
            <Button type="submit" variant="quiet">
              Resend
            </Button>
          </form>
        )}
      </noscript>
      <div className="grid gap-3 min-[24rem]:grid-cols-2">
        {undelivered && <Button onClick={() => setIsChangingEmail(true)}>Change my email</Button>}
        <form className="scripted grid" method="post" {...form.props}>
          <Button
            type="submit"
            variant="quiet"
            busy={form.busy('Sending...')}
            disabled={secondsLeft > 0}
            aria-describedby="resend-wait"
          >
            {secondsLeft > 0 ? <span className="nums">Resend in {formatCountdown(secondsLeft)}</span> : 'Resend'}
          </Button>
        </form>
        <p id="resend-wait" className="sr-only">
          {secondsLeft > 0 ? 'You can request another email when the countdown ends.' : ''}
        </p>
        {!undelivered && (
          <Button variant="quiet" onClick={() => setIsChangingEmail(true)}>
            Change my email
          </Button>
        )}
        <Button variant="bare" onClick={() => void signOutAndLeave()}>
          Sign out
        </Button>
        <ButtonLink variant="bare" to={paths.account}>
          Your account
        </ButtonLink>
      </div>
      {isChangingEmail && (
        <ChangeEmailModal onClose={() => setIsChangingEmail(false)} onChanged={() => void revalidate()} />
      )}
    </AuthFrame>
  );
}

/** Polls, and checks when the tab becomes active. The loader then redirects. */
function useContinueOnceVerified(): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const poll = () => {
      if (document.visibilityState !== 'visible') return;
      void refreshUser().then((isAnother) => (isAnother ? revalidate() : undefined));
    };
    const timer = setInterval(poll, pollIntervalMs);
    document.addEventListener('visibilitychange', poll);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', poll);
    };
  }, [revalidate]);
}

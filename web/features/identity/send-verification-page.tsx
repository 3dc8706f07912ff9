import { Icon } from '../../ui/icon.tsx';
import { useEffect, useState } from 'react';
import { useActionData, useLoaderData, useNavigate, useRevalidator } from 'react-router';
import type { CallResult } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import { messageOf } from '../../domain/messages.ts';
import { paths } from '../../domain/paths.ts';
import { useUser } from '../../domain/root-data.ts';
import { isAnotherNow, signOut } from '../../domain/session.ts';
import { UndeliveredNote, useUndeliveredNews } from '../../domain/undelivered.tsx';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toasts.ts';
import { AuthFrame } from './auth-frame.tsx';
import { ChangeEmailModal } from './change-email-modal.tsx';
import { SentNote } from './sent-note.tsx';
import type { Sent } from './sent.ts';
import { minutesAndSeconds, useCountdown } from './use-countdown.ts';

/** Milliseconds between two questions whether the link has been followed, e.g. on another device. */
const askEvery = 10_000;

export function SendVerificationPage() {
  const { retryAfter, undelivered } = useLoaderData<CallResult<Endpoints['GET /api/identity/verification']>>();
  const [left, restart] = useCountdown(retryAfter);
  const [busy, setBusy] = useState(false);
  const [changing, setChanging] = useState(false);
  const user = useUser();
  const sent = useActionData<Sent>();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  useMoveOnOnceVerified();
  useUndeliveredNews(undelivered, true);

  async function resend() {
    setBusy(true);
    try {
      const { retryAfter: seconds } = await callApi('POST /api/identity/verification');
      restart(seconds);
      toast('success', 'Verification email sent successfully');
    } catch (error) {
      const problem = problemOf(error);
      if (problem.retryAfter !== undefined) restart(problem.retryAfter);
      toast('error', messageOf(problem));
    } finally {
      setBusy(false);
    }
  }

  /** The way out of somebody else's session on a shared computer: this page has no menu. */
  async function leave() {
    try {
      await signOut();
      await navigate(paths.login);
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    }
  }

  return (
    <AuthFrame
      heading="Verify your email"
      subtitle={
        !undelivered && (
          <>
            We sent a verification link to{' '}
            <strong className="font-semibold text-ink wrap-anywhere">{user?.email}</strong>. Open it within three days.
          </>
        )
      }
    >
      {undelivered ? (
        <UndeliveredNote of={undelivered}>Check the address or change it.</UndeliveredNote>
      ) : (
        <div className="flex items-start gap-3 rounded-card border border-brand-line bg-brand-soft p-4 text-sm">
          <Icon name="mail-check" className="mt-0.5 size-5 shrink-0 text-brand" />
          <p>Open the link on any device and this page continues by itself. No email? Check your spam folder.</p>
        </div>
      )}
      <SentNote sent={sent} />
      <noscript>
        {import.meta.env.SSR && (
          <form method="post" className="grid gap-3">
            <p>
              Without JavaScript, this page does not continue by itself. Open the link in the email, or request another
              email.
            </p>
            <Button type="submit" look="quiet" name="act" value="resend">
              Resend
            </Button>
          </form>
        )}
      </noscript>
      <div className="grid gap-3">
        {undelivered && <Button onClick={() => setChanging(true)}>Change my email</Button>}
        <Button
          look={undelivered ? 'quiet' : 'strong'}
          busy={busy && 'Sending...'}
          disabled={left > 0}
          onClick={() => void resend()}
          aria-describedby="resend-wait"
        >
          {left > 0 ? <span className="nums">Resend in {minutesAndSeconds(left)}</span> : 'Resend'}
        </Button>
        <p id="resend-wait" className="sr-only">
          {left > 0 ? 'You can request another email when the countdown ends.' : ''}
        </p>
        {!undelivered && (
          <Button look="quiet" onClick={() => setChanging(true)}>
            Change my email
          </Button>
        )}
        <Button look="bare" onClick={() => void leave()}>
          Sign out
        </Button>
      </div>
      {changing && <ChangeEmailModal onClose={() => setChanging(false)} onChanged={() => void revalidate()} />}
    </AuthFrame>
  );
}

/** Asks when the page comes to the front and now and then while it is there; the loader's guard then leads on. */
function useMoveOnOnceVerified(): void {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState !== 'visible') return;
      void isAnotherNow().then((isAnother) => (isAnother ? revalidate() : undefined));
    };
    const timer = setInterval(ask, askEvery);
    document.addEventListener('visibilitychange', ask);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', ask);
    };
  }, [revalidate]);
}

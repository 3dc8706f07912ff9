import { useState } from 'react';
import { useActionData } from 'react-router';
import { messageOf } from '../../domain/messages.ts';
import { paths } from '../../domain/paths.ts';
import { userHasChanged } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Loader } from '../../ui/loader.tsx';
import { toast } from '../../ui/toasts.ts';
import { AuthFrame } from './auth-frame.tsx';
import { SentNote } from './sent-note.tsx';
import type { Sent } from './sent.ts';
import { useActionCode } from './use-action-code.ts';

const modes = ['recoverEmail'] as const;

/**
 * Undoes a change of address (decision 7). It asks before it acts: programs that open links in mails run scripts too, and
 * must not undo what somebody has wanted.
 */
export function RecoverEmailPage() {
  const { code, state } = useActionCode(modes);
  const sent = useActionData<Sent>();
  const [restored, setRestored] = useState<string | null>(sent?.restored ?? null);
  const [busy, setBusy] = useState(false);

  async function restore() {
    setBusy(true);
    try {
      const { email } = await callApi('POST /api/identity/action-code/apply', { body: { code } });
      userHasChanged();
      setRestored(email);
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    } finally {
      setBusy(false);
    }
  }

  if (restored !== null) {
    return (
      <AuthFrame
        heading="Your address is back"
        subtitle={
          <>
            Your account uses <strong className="font-semibold text-ink wrap-anywhere">{restored}</strong> again, and
            every session was ended.
          </>
        }
      >
        <p>
          Whoever changed it knew your password. We have sent you a link to choose a new one; do that now. If it does
          not arrive, ask for another.
        </p>
        <ButtonLink to={paths.resetPassword}>Reset password</ButtonLink>
      </AuthFrame>
    );
  }
  if (state.status === 'checking') {
    return (
      <AuthFrame heading="Recover your email" subtitle="Checking your link.">
        <SentNote sent={sent} />
        <Loader className="needs-scripts" />
        <noscript>
          {import.meta.env.SSR && (
            <form method="post" className="grid gap-3">
              <p>
                Your account will use its former address again. Every session ends, and we send you a link for a new
                password.
              </p>
              <Button type="submit">Restore my address</Button>
            </form>
          )}
        </noscript>
      </AuthFrame>
    );
  }
  if (state.status === 'failed') {
    return (
      <AuthFrame heading="This link cannot be used" subtitle={messageOf(problemOf(state.error))}>
        <p className="text-ink-soft">
          It works once, within 30 days of the change. If you cannot get in any more, ask the alumni office.
        </p>
        <ButtonLink to={paths.login} look="quiet">
          Sign in
        </ButtonLink>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame
      heading="Take your account back"
      subtitle={
        <>
          Your account will use <strong className="font-semibold text-ink wrap-anywhere">{state.email}</strong> again.
          Every session ends, and we send you a link for a new password. If the account is due to be deleted, the
          deletion is cancelled.
        </>
      }
    >
      <div className="grid gap-3">
        <Button busy={busy && 'Restoring...'} onClick={() => void restore()}>
          Restore my address
        </Button>
        <ButtonLink to={paths.dashboard} look="quiet">
          The change was mine
        </ButtonLink>
      </div>
    </AuthFrame>
  );
}

import { messageOf } from '#web/domain/messages.ts';
import { paths } from '#web/domain/paths.ts';
import { invalidateUser } from '#web/domain/session.ts';
import { problemOf } from '#web/platform/api.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Loader } from '#web/ui/loader.tsx';
import { useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { recoverForm } from './forms.ts';
import { useActionCode } from './use-action-code.ts';

const modes = ['recoverEmail', 'refuseEmailChange'] as const;

/**
 * Undoes an email change (D7 in docs/conformance.md), or refuses one that staff requested. The page requires
 * confirmation, because mail scanners open links and run scripts, and must not undo a change that the user wanted.
 */
export function RecoverEmailPage() {
  const { state } = useActionCode(modes);
  const form = useForm(recoverForm, {
    hasToasts: true,
    onSent: ({ data }) => data?.mode === 'recoverEmail' && invalidateUser(),
  });
  const recovered = form.result?.data;

  if (recovered?.mode === 'refuseEmailChange')
    return (
      <AuthFrame heading="Your email address stays" subtitle="The change of your address was refused.">
        <p>If you do not know who asked for it, contact the alumni office.</p>
        <ButtonLink to={paths.dashboard}>Open the archive</ButtonLink>
      </AuthFrame>
    );
  if (recovered) {
    return (
      <AuthFrame
        heading="Your email address is restored"
        subtitle={
          <>
            Your account uses <strong className="font-semibold text-ink wrap-anywhere">{recovered.email}</strong> again.
            You are signed out on all devices.
          </>
        }
      >
        <p>
          The person who changed it knew your password, so choose a new one now. We have sent you a link for this. If it
          does not arrive, request another one.
        </p>
        <ButtonLink to={paths.resetPassword}>Reset password</ButtonLink>
      </AuthFrame>
    );
  }
  if (state.status === 'checking') {
    return (
      <AuthFrame heading="Recover your email address" subtitle="Checking your link...">
        <FormResultNote result={form.posted} />
        <Loader className="needs-scripts" />
        <noscript>
          {import.meta.env.SSR && (
            <form method="post" className="grid gap-3">
              <p>
                If the alumni office wants to change your address, the change will be refused. Otherwise, your account
                will use its previous email address again. You will be signed out on all devices, and we will send you a
                link to choose a new password.
              </p>
              <Button type="submit">Keep or restore my email address</Button>
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
          A recovery link works once, within 30 days of the change. If you can no longer sign in, contact the alumni
          office.
        </p>
        <ButtonLink to={paths.login} variant="quiet">
          Sign in
        </ButtonLink>
      </AuthFrame>
    );
  }
  if (state.mode === 'refuseEmailChange')
    return (
      <AuthFrame
        heading="Refuse the change?"
        subtitle={
          <>
            The alumni office was asked to change your address. Your account will keep{' '}
            <strong className="font-semibold text-ink wrap-anywhere">{state.email}</strong>.
          </>
        }
      >
        <form className="grid gap-3" method="post" {...form.props}>
          <Button type="submit" busy={form.busy('Refusing...')}>
            Refuse the change
          </Button>
          <ButtonLink to={paths.dashboard} variant="quiet">
            I asked for this change
          </ButtonLink>
        </form>
      </AuthFrame>
    );
  return (
    <AuthFrame
      heading="Recover your account"
      subtitle={
        <>
          Your account will use <strong className="font-semibold text-ink wrap-anywhere">{state.email}</strong> again.
          You will be signed out on all devices, and we will send you a link to choose a new password. If the account is
          scheduled for deletion, the deletion is cancelled.
        </>
      }
    >
      <form className="grid gap-3" method="post" {...form.props}>
        <Button type="submit" busy={form.busy('Restoring...')}>
          Restore my email address
        </Button>
        <ButtonLink to={paths.dashboard} variant="quiet">
          I made this change
        </ButtonLink>
      </form>
    </AuthFrame>
  );
}

import { useState } from 'react';
import { useRevalidator } from 'react-router';
import { NewPassword, Password } from '#contract/fields.ts';
import type { Device, UndeliverableAddress } from '#contract/identity.ts';
import type { SettingsData } from './settings-data.ts';
import type { SecondFactor as SecondFactorData } from '#contract/second-factor.ts';
import { ChangeEmailForm } from '#web/domain/change-email-form.tsx';
import { getDeviceName } from '#contract/device-name.ts';
import { defineForm } from '#web/domain/define-form.ts';
import { messageOf } from '#web/domain/messages.ts';
import { getPasswordAdvice } from '#web/domain/password-advice.ts';
import { Confirmation, withConfirmation } from '#web/domain/password-confirmation.ts';
import { NewPasswordFields } from '#web/domain/password-rules.tsx';
import { useRootData, useUser } from '#web/domain/root-data.ts';
import { UndeliveredNote, useUndeliveredPolling } from '#web/domain/undelivered.tsx';
import { callApi } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { PasswordField, UserNameField } from '#web/ui/password-field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useForm } from '#web/ui/use-form.ts';
import { Group } from '#web/ui/group.tsx';
import { CampusAccount } from './campus-account.tsx';
import { SecondFactor } from '#web/domain/second-factor/second-factor.tsx';
import { toastFailure } from '#web/domain/use-action.ts';

type Campus = Extract<SettingsData, { section: 'security' }>['campus'];

export function Security({
  devices,
  factors,
  undelivered,
  campus,
}: {
  devices: readonly Device[];
  factors: SecondFactorData;
  undelivered: UndeliverableAddress | null;
  campus?: Campus;
}) {
  // An undeliverable address comes first. The order is fixed on mount, so that nothing moves while the user types.
  const [isEmailFirst] = useState(undelivered !== null);
  const email = <ChangeEmail undelivered={undelivered} endsOn={campus?.addressEndsOn ?? null} />;
  return (
    <div className="grid gap-6">
      {isEmailFirst && email}
      <ChangePassword />
      <SecondFactor factors={factors} />
      {campus && <CampusAccount connection={campus.connection} />}
      {!isEmailFirst && email}
      <Devices devices={devices} />
    </div>
  );
}

const changePasswordForm = defineForm<{ current: string; password: string }>({
  schema: withConfirmation({ current: Password, password: NewPassword, confirmPassword: Confirmation }),
  send: async (call, { current, password }) => {
    await call('POST /api/identity/reauthenticate', { body: { password: current } });
    await call('POST /api/identity/password', { body: { password } });
    return { success: 'Password changed successfully' };
  },
  explain: async (problem, { password }, call, { username }) => {
    const formError = 'Error changing password';
    if (problem.code === 'auth/invalid-credential') return { formError, errors: { current: 'Wrong password' } };
    const isRefused = problem.code === 'auth/password-does-not-meet-requirements';
    const message = isRefused ? await getPasswordAdvice(password, username, call) : messageOf(problem);
    return { formError, errors: { password: message } };
  },
});

function ChangePassword() {
  const { revalidate } = useRevalidator();
  const user = useUser();
  const form = useForm(changePasswordForm, {
    hasToasts: true,
    onSent: (_, element) => {
      element.reset();
      // All other sessions have ended: reload the list of devices.
      void revalidate();
    },
  });

  return (
    <Group heading="Password" hint="Changing your password signs you out on all other devices.">
      <form className="grid max-w-[400px] gap-4" method="dialog" {...form.props}>
        <UserNameField email={user?.email} />
        <PasswordField label="Current password" autoComplete="current-password" {...form.field('current')} />
        <NewPasswordFields
          label="New password"
          typed={form.values['password']}
          email={user?.email}
          field={form.field}
        />
        <Button type="submit" className="justify-self-start" busy={form.busy('Saving...')}>
          Change password
        </Button>
      </form>
    </Group>
  );
}

function ChangeEmail({ undelivered, endsOn }: { undelivered: UndeliverableAddress | null; endsOn: string | null }) {
  const user = useUser();
  const { abbreviation } = useRootData().institution;
  const [requestedEmail, setRequestedEmail] = useState<string | null>(null);
  const [isRetrying, setIsRetrying] = useState(false);
  // Mail to the requested address is undeliverable, so no change is pending.
  const pending = requestedEmail === undelivered?.email ? null : requestedEmail;
  useUndeliveredPolling(undelivered, pending !== null || isRetrying);

  async function resendMail() {
    try {
      await callApi('POST /api/identity/verification');
      setIsRetrying(true);
      toast('success', 'We are sending another email to this address. If it is delivered, the warning disappears');
    } catch (error) {
      toastFailure(error);
    }
  }

  return (
    <Group
      heading="Email address"
      hint={
        <>
          Your address is <strong className="text-ink wrap-anywhere">{user?.email}</strong>.
        </>
      }
    >
      <div className="grid max-w-[400px] gap-4">
        {endsOn !== null && (
          <p className="rounded-card border border-brand-line bg-wash p-4">
            {abbreviation} will close this address on <Day of={endsOn} />. Change it to a personal one.
          </p>
        )}
        {undelivered && undelivered.email === user?.email && (
          <>
            <UndeliveredNote of={undelivered}>
              We cannot send you links to reset your password, and members cannot write to you. Change the address, or
              try it again if your mailbox works now.
            </UndeliveredNote>
            <Button
              variant="quiet"
              className="justify-self-start"
              disabled={isRetrying}
              onClick={() => void resendMail()}
            >
              Try this address again
            </Button>
          </>
        )}
        {undelivered && undelivered.email !== user?.email && (
          <UndeliveredNote of={undelivered}>
            Your old address is still in use. Check the new address and enter it again.
          </UndeliveredNote>
        )}
        {pending === null ? (
          <ChangeEmailForm
            hint="The new address takes effect after you open the link that we send to it."
            onChanged={({ email }) => setRequestedEmail(email)}
          />
        ) : (
          <p role="status" className="rounded-card border border-brand-line bg-wash p-4">
            We have sent a link to <strong className="wrap-anywhere">{pending}</strong>. Open it within three days.
            Until then, your old address stays in use. We also send your old address a link that undoes the change.
          </p>
        )}
      </div>
    </Group>
  );
}

export function Devices({ devices }: { devices: readonly Device[] }) {
  const { revalidate } = useRevalidator();
  const [endingId, setEndingId] = useState<string | null>(null);

  async function endSession(id: string | null) {
    setEndingId(id ?? 'all');
    try {
      if (id === null) await callApi('DELETE /api/identity/sessions');
      else await callApi('DELETE /api/identity/sessions/{id}', { params: { id } });
      await revalidate();
    } catch (error) {
      toastFailure(error);
    } finally {
      setEndingId(null);
    }
  }

  return (
    <Group
      heading="Where you are signed in"
      hint="If you do not recognise a device, end its session and change your password."
    >
      <ul className="divide-y divide-line">
        {devices.map(({ id, current, userAgent, seenAt }) => (
          <li key={id} className="flex min-h-14 flex-wrap items-center justify-between gap-x-3 py-2">
            <p>
              <span className="font-medium">{getDeviceName(userAgent)}</span>
              <span className="block text-sm text-ink-soft">
                {current ? (
                  'This device'
                ) : (
                  <>
                    Last seen <Day of={seenAt} />
                  </>
                )}
              </span>
            </p>
            {!current && (
              <Button variant="quiet" busy={endingId === id && 'Ending...'} onClick={() => void endSession(id)}>
                End session
              </Button>
            )}
          </li>
        ))}
      </ul>
      {devices.length > 1 && (
        <Button
          variant="quiet"
          className="justify-self-start"
          busy={endingId === 'all' && 'Ending...'}
          onClick={() => void endSession(null)}
        >
          Sign out everywhere else
        </Button>
      )}
    </Group>
  );
}

import { type ReactNode, useState } from 'react';
import { useRevalidator } from 'react-router';
import * as z from 'zod/mini';
import { PasskeyName } from '#contract/second-factor-codes.ts';
import type { Passkey, SecondFactor as SecondFactorData } from '#contract/second-factor.ts';
import { defineForm } from '../define-form.ts';
import { createPasskey } from '../passkeys.ts';
import { callApi } from '#web/platform/api.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { Button } from '#web/ui/button.tsx';
import { Day } from '#web/ui/day.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { TextField } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useForm } from '#web/ui/use-form.ts';
import { Group } from '#web/ui/group.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import type { SetUpAppProps } from './set-up-app.tsx';
import { usePasswordConfirmation } from '../password-dialog.tsx';

interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly confirmLabel: string;
  readonly run: () => Promise<void>;
}

export function SecondFactor({ factors }: { factors: SecondFactorData }) {
  const { authenticator, passkeys, recoveryCodes } = factors;
  const isOn = authenticator !== null || passkeys.length > 0;
  const isLast = (authenticator ? 1 : 0) + passkeys.length === 1;
  const { revalidate } = useRevalidator();
  const { runWithPassword, dialog } = usePasswordConfirmation();
  const setUpDialog = useLazyComponent<SetUpAppProps>(() => import('./set-up-app.tsx'));
  const [secret, setSecret] = useState<{ secret: string; uri: string } | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const [confirmation, setConfirmation] = useState<Confirmation | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  async function runConfirmed(action: () => Promise<void>) {
    setConfirmation(null);
    setIsBusy(true);
    await runWithPassword(action);
    setIsBusy(false);
  }

  async function showAdded(text: string, created: readonly string[] | null) {
    toast('success', text);
    setCodes(created);
    // With codes, the page follows when their dialog is closed: the staff console then replaces this part.
    if (!created) await revalidate();
  }

  function closeCodes() {
    setCodes(null);
    void revalidate();
  }

  const setUpApp = () =>
    runConfirmed(async () => {
      setSecret(await callApi('POST /api/identity/authenticator'));
      setUpDialog.open();
    });

  const addPasskey = (name: string) =>
    runConfirmed(async () => {
      const passkey = await createPasskey(await callApi('POST /api/identity/passkeys/options'));
      if (!passkey) return;
      const made = await callApi('POST /api/identity/passkeys', { body: { name, passkey } });
      await showAdded('Passkey added', made.recoveryCodes);
    });

  const lastFactorWarning = isLast
    ? ' It is your last second step: afterwards, your password alone is enough to sign in.'
    : '';

  const removeApp: Confirmation = {
    title: 'Remove the authenticator app?',
    text: `Its codes will stop working.${lastFactorWarning}`,
    confirmLabel: 'Yes, remove it',
    run: async () => {
      await callApi('DELETE /api/identity/authenticator');
      toast('success', 'Authenticator app removed');
      await revalidate();
    },
  };

  const removePasskey = ({ id, name }: Passkey): Confirmation => ({
    title: `Remove the passkey “${name}”?`,
    text: `You can no longer sign in with it. Your device may still offer it until you delete it there too.${lastFactorWarning}`,
    confirmLabel: 'Yes, remove it',
    run: async () => {
      await callApi('DELETE /api/identity/passkeys/{id}', { params: { id } });
      toast('success', 'Passkey removed');
      await revalidate();
    },
  });

  const renewCodes: Confirmation = {
    title: 'Create new recovery codes?',
    text: 'Your current recovery codes will stop working.',
    confirmLabel: 'Yes, create new ones',
    run: async () => {
      const made = await callApi('POST /api/identity/recovery-codes');
      await showAdded('New recovery codes created', made.recoveryCodes);
    },
  };

  return (
    <>
      <Group
        heading="Two-step sign-in"
        hint={
          isOn
            ? 'On: you need a second step besides your password to sign in.'
            : 'Off: your password alone is enough to sign in. With an authenticator app or a passkey, someone who learns your password still cannot get in.'
        }
      >
        <ul className="divide-y divide-line">
          <Row
            title="Authenticator app"
            text={
              authenticator ? (
                <>
                  Added <Day of={authenticator.addedAt} />
                </>
              ) : (
                'Not set up. The app shows a new code every 30 seconds and works offline.'
              )
            }
          >
            {authenticator ? (
              <Button variant="quiet" disabled={isBusy} onClick={() => setConfirmation(removeApp)}>
                Remove app
              </Button>
            ) : (
              <Button variant="quiet" disabled={isBusy} onClick={() => void setUpApp()}>
                Set up app
              </Button>
            )}
          </Row>
          {isOn && (
            <Row title="Recovery codes" text={describeCodesLeft(recoveryCodes)}>
              <Button variant="quiet" disabled={isBusy} onClick={() => setConfirmation(renewCodes)}>
                Create new codes
              </Button>
            </Row>
          )}
        </ul>
      </Group>
      <Group
        heading="Passkeys"
        hint={
          <>
            With a passkey, you sign in with your fingerprint, your face or the PIN of your device instead of a
            password.
            {passkeys.length === 0 &&
              ' You have no passkeys yet. After you add the first one, signing in with your password needs a second step.'}
          </>
        }
      >
        {passkeys.length > 0 && (
          <ul className="divide-y divide-line" aria-label="Passkeys">
            {passkeys.map((passkey) => (
              <Row
                key={passkey.id}
                title={passkey.name}
                text={
                  <>
                    Added <Day of={passkey.createdAt} />
                    {passkey.usedAt && (
                      <>
                        , last used <Day of={passkey.usedAt} />
                      </>
                    )}
                  </>
                }
              >
                <Button
                  variant="quiet"
                  disabled={isBusy}
                  aria-label={`Remove ${passkey.name}`}
                  onClick={() => setConfirmation(removePasskey(passkey))}
                >
                  Remove
                </Button>
              </Row>
            ))}
          </ul>
        )}
        <AddPasskey key={passkeys.length} onAdd={addPasskey} />
      </Group>
      {dialog}
      {confirmation && (
        <Dialog onClose={() => setConfirmation(null)} title={confirmation.title}>
          <p>{confirmation.text}</p>
          <div className="flex flex-wrap justify-end gap-3">
            <Button variant="quiet" onClick={() => setConfirmation(null)}>
              Cancel
            </Button>
            <Button variant="danger" onClick={() => void runConfirmed(confirmation.run)}>
              {confirmation.confirmLabel}
            </Button>
          </div>
        </Dialog>
      )}
      {setUpDialog.Part && secret && (
        <setUpDialog.Part
          {...secret}
          onClose={setUpDialog.close}
          onDone={(made) => {
            setUpDialog.close();
            void showAdded('Authenticator app added', made);
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} onClose={closeCodes} />}
    </>
  );
}

const describeCodesLeft = (left: number) => {
  if (left === 0) return 'No codes left. Create new ones before you lose your phone.';
  return left === 1 ? '1 code left.' : `${left} codes left.`;
};

export function Row({ title, text, children }: { title: string; text: ReactNode; children: ReactNode }) {
  return (
    <li className="flex min-h-14 flex-wrap items-center justify-between gap-3 py-2 sm:flex-nowrap *:shrink-0 *:first:shrink">
      <p>
        <span className="font-medium wrap-anywhere">{title}</span>
        <span className="block text-sm text-ink-soft">{text}</span>
      </p>
      {children}
    </li>
  );
}

const NameForm = z.object({ name: PasskeyName });

function AddPasskey({ onAdd }: { onAdd: (name: string) => Promise<void> }) {
  const form = useForm(
    defineForm<{ name: string }>({
      schema: NameForm,
      send: async (_, { name }) => {
        await onAdd(name);
        return {};
      },
    }),
  );
  return (
    <form className="grid max-w-[400px] gap-4" method="dialog" {...form.props}>
      <TextField
        label="Name of the new passkey"
        hint="A name to recognise it by, for example “My phone”."
        autoComplete="off"
        {...form.field('name')}
      />
      <Button
        type="submit"
        variant="quiet"
        className="justify-self-start"
        busy={form.busy('Waiting for your device...')}
      >
        Add a passkey
      </Button>
    </form>
  );
}

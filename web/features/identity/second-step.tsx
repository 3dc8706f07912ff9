import { useEffect, useRef, useState } from 'react';
import type { User } from '#contract/identity.ts';
import { signInMessageOf } from './sign-in-message.ts';
import { authenticateWithPasskey } from '#web/domain/passkeys.ts';
import { useRootData } from '#web/domain/root-data.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { Button } from '#web/ui/button.tsx';
import { TextField } from '#web/ui/field.tsx';
import { toast } from '#web/ui/toasts.ts';
import { useForm } from '#web/ui/use-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import { FormResultNote } from './form-result-note.tsx';
import { createSecondFactorForm, type SecondFactorMethods } from './forms.ts';

type SecondFactorMethod = Exclude<keyof SecondFactorMethods, 'isByCampus'>;

interface Props {
  methods: SecondFactorMethods;
  onEntered: (user: User) => Promise<void>;
  onBack: () => void;
}

const labels: Record<SecondFactorMethod, string> = {
  authenticator: 'Use my authenticator app',
  passkey: 'Use a passkey',
  recoveryCode: 'Use a recovery code',
};

export function SecondStep({ methods, onEntered, onBack }: Props) {
  const { abbreviation } = useRootData().institution;
  const available = (['authenticator', 'passkey', 'recoveryCode'] as const).filter((method) => methods[method]);
  const [method, setMethod] = useState<SecondFactorMethod>(available[0] ?? 'recoveryCode');

  const others = available
    .filter((other) => other !== method)
    .map((other) => (
      <Button key={other} variant="quiet" onClick={() => setMethod(other)}>
        {labels[other]}
      </Button>
    ));

  return (
    <AuthFrame
      heading="One more step"
      subtitle={`${methods.isByCampus ? `${abbreviation} confirmed your account` : 'Your password is correct'}. Now confirm that it is you.`}
    >
      {method === 'passkey' ? (
        <PasskeyStep onEntered={onEntered} onBack={onBack} />
      ) : (
        <CodeForm key={method} method={method} onEntered={onEntered} onBack={onBack} />
      )}
      <noscript>
        {import.meta.env.SSR && method !== 'recoveryCode' && methods.recoveryCode && (
          <>
            {method === 'passkey' && (
              <p className="mb-4">A passkey needs JavaScript. A recovery code works without it.</p>
            )}
            <CodeForm method="recoveryCode" onEntered={onEntered} onBack={onBack} />
          </>
        )}
      </noscript>
      <div className="grid gap-2">
        {others}
        <Button variant="bare" onClick={onBack}>
          Back to sign-in
        </Button>
      </div>
    </AuthFrame>
  );
}

type StepProps = Pick<Props, 'onEntered' | 'onBack'>;

function CodeForm({ method, onEntered, onBack }: StepProps & { method: 'authenticator' | 'recoveryCode' }) {
  const isNumeric = method === 'authenticator';
  const input = useRef<HTMLInputElement>(null);
  const form = useForm(createSecondFactorForm(method), {
    hasToasts: true,
    onSent: ({ data }) => data?.user && onEntered(data.user),
    onFailed: ({ code }) => (code === 'auth/sign-in-expired' ? onBack() : input.current?.focus()),
  });
  // The button that had the focus is no longer on the page.
  useEffect(() => input.current?.focus(), []);

  return (
    <form className="grid gap-4" method="post" {...form.props}>
      <FormResultNote result={form.posted} />
      {/* The server tells the kinds of codes apart by this field. */}
      <input type="hidden" name="way" value={method} />
      <TextField
        ref={input}
        label={isNumeric ? 'Code' : 'Recovery code'}
        hint={
          isNumeric
            ? 'Enter the six-digit code from your authenticator app.'
            : 'Enter one of your saved recovery codes. Each code works once.'
        }
        inputMode={isNumeric ? 'numeric' : 'text'}
        autoComplete={isNumeric ? 'one-time-code' : 'off'}
        autoCapitalize="characters"
        spellCheck={false}
        {...form.field('typed')}
      />
      <Button type="submit" busy={form.busy('Checking...')}>
        Continue
      </Button>
    </form>
  );
}

function PasskeyStep({ onEntered, onBack }: StepProps) {
  const [busy, setBusy] = useState(false);

  async function confirmWithPasskey() {
    setBusy(true);
    try {
      const passkey = await authenticateWithPasskey(await callApi('POST /api/identity/sign-in/second-factor/options'));
      if (!passkey) return;
      const { user } = await callApi('POST /api/identity/sign-in/second-factor', { body: { passkey } });
      toast('success', 'Welcome');
      await onEntered(user);
    } catch (error) {
      const problem = problemOf(error);
      toast('error', signInMessageOf(problem));
      if (problem.code === 'auth/sign-in-expired') onBack();
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className="grid gap-4">
      <p>Your browser will ask you to confirm with your fingerprint, your face, a PIN or another device.</p>
      <Button busy={busy && 'Waiting for your passkey...'} onClick={() => void confirmWithPasskey()}>
        Continue with a passkey
      </Button>
    </div>
  );
}

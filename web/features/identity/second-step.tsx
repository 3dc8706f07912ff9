import { type ReactNode, useEffect, useState } from 'react';
import * as z from 'zod/mini';
import { OneTimeCode, RecoveryCode } from '#contract/second-factor-codes.ts';
import type { User } from '#contract/identity.ts';
import type { Proof } from '#contract/second-factor.ts';
import { messageOf } from '../../domain/messages.ts';
import { signInMessageOf } from './sign-in-message.ts';
import { authenticateWithPasskey } from '../../domain/passkeys.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toasts.ts';
import { useSchemaForm } from '../../ui/use-schema-form.ts';
import { AuthFrame } from './auth-frame.tsx';
import type { FormResult, SecondFactorMethods } from './form-result.ts';

type SecondFactorMethod = keyof SecondFactorMethods;

interface Props {
  methods: SecondFactorMethods;
  formResult?: FormResult | undefined;
  onEntered: (user: User) => Promise<void>;
  /** Returns to the password form, which keeps its values. */
  onBack: () => void;
}

const labels: Record<SecondFactorMethod, string> = {
  authenticator: 'Use my authenticator app',
  passkey: 'Use a passkey',
  recoveryCode: 'Use a recovery code',
};

/** Asks for a code, a passkey or a recovery code after a correct password. */
export function SecondStep({ methods, formResult, onEntered, onBack }: Props) {
  const available = (['authenticator', 'passkey', 'recoveryCode'] as const).filter((method) => methods[method]);
  const [method, setMethod] = useState<SecondFactorMethod>(available[0] ?? 'recoveryCode');

  /** Completes the sign-in. @throws ApiError when the server rejects the code or the passkey */
  async function completeSignIn(body: Proof): Promise<void> {
    try {
      const { user } = await callApi('POST /api/identity/sign-in/second-factor', { body });
      await onEntered(user);
    } catch (error) {
      const problem = problemOf(error);
      toast('error', signInMessageOf(problem));
      if (problem.code === 'auth/sign-in-expired') onBack();
      else throw error;
    }
  }

  const others = available
    .filter((other) => other !== method)
    .map((other) => (
      <Button key={other} look="quiet" onClick={() => setMethod(other)}>
        {labels[other]}
      </Button>
    ));

  return (
    <AuthFrame heading="One more step" subtitle="Your password is correct. Now confirm that it is you.">
      {method === 'authenticator' && (
        <CodeForm
          key={method}
          {...codeKinds.code}
          method={method}
          formResult={formResult}
          send={(code) => completeSignIn({ code })}
        />
      )}
      {method === 'recoveryCode' && (
        <CodeForm
          key={method}
          {...codeKinds.recoveryCode}
          method={method}
          formResult={formResult}
          send={(recoveryCode) => completeSignIn({ recoveryCode })}
        />
      )}
      {method === 'passkey' && <PasskeyStep onPasskey={(passkey) => completeSignIn({ passkey })} onBack={onBack} />}
      <noscript>
        {import.meta.env.SSR && method !== 'recoveryCode' && methods.recoveryCode && (
          <>
            {method === 'passkey' && (
              <p className="mb-4">A passkey needs JavaScript. A recovery code works without it.</p>
            )}
            <CodeForm
              {...codeKinds.recoveryCode}
              method="recoveryCode"
              formResult={undefined}
              send={(recoveryCode) => completeSignIn({ recoveryCode })}
            />
          </>
        )}
      </noscript>
      <div className="grid gap-2">
        {others}
        <Button look="bare" onClick={onBack}>
          Back to sign-in
        </Button>
      </div>
    </AuthFrame>
  );
}

interface CodeKind {
  schema: z.ZodMiniType<string, string>;
  label: string;
  hint: ReactNode;
  isNumeric: boolean;
}

const codeKinds = {
  code: {
    schema: OneTimeCode,
    label: 'Code',
    hint: 'Enter the six-digit code from your authenticator app.',
    isNumeric: true,
  },
  recoveryCode: {
    schema: RecoveryCode,
    label: 'Recovery code',
    hint: 'Enter one of your saved recovery codes. Each code works once.',
    isNumeric: false,
  },
} satisfies Record<string, CodeKind>;

interface CodeFormProps extends CodeKind {
  /** Sent as a form field, so that the server can distinguish the kinds of codes without JavaScript. */
  method: SecondFactorMethod;
  formResult: FormResult | undefined;
  send: (typed: string) => Promise<void>;
}

function CodeForm({ schema, label, hint, isNumeric, method, formResult, send }: CodeFormProps) {
  const [Form] = useState(() => z.object({ typed: schema }));
  const { form, field } = useSchemaForm(Form);
  const { setFocus } = form;
  /**
   * Last rejected code and its message. The message stays until the code is edited: if it disappeared on blur, the
   * buttons below would move while they are pressed.
   */
  const [refused, setRefused] = useState<{ typed: string; message: string } | null>(null);
  const { error, ...input } = field('typed');
  // The button that had the focus is no longer on the page.
  useEffect(() => setFocus('typed'), [setFocus]);

  const submit = form.handleSubmit(async ({ typed }) => {
    try {
      await send(typed);
    } catch (error) {
      // After a network error, the code itself may be correct.
      const isWrong = problemOf(error).code === 'auth/invalid-verification-code';
      if (isWrong) setRefused({ typed: form.getValues('typed'), message: messageOf(problemOf(error)) });
      setFocus('typed');
    }
  });

  return (
    <form className="grid gap-4" method="post" noValidate onSubmit={submit}>
      <input type="hidden" name="way" value={method} />
      <TextField
        label={label}
        hint={hint}
        inputMode={isNumeric ? 'numeric' : 'text'}
        autoComplete={isNumeric ? 'one-time-code' : 'off'}
        autoCapitalize="characters"
        spellCheck={false}
        {...input}
        error={
          error ??
          (refused?.typed === form.watch('typed') ? refused?.message : undefined) ??
          formResult?.errors?.['typed']
        }
      />
      <Button type="submit" busy={form.formState.isSubmitting && 'Checking...'}>
        Continue
      </Button>
    </form>
  );
}

interface PasskeyProps {
  onPasskey: (passkey: NonNullable<Proof['passkey']>) => Promise<void>;
  onBack: () => void;
}

function PasskeyStep({ onPasskey, onBack }: PasskeyProps) {
  const [busy, setBusy] = useState(false);

  async function confirmWithPasskey() {
    setBusy(true);
    try {
      const passkey = await authenticateWithPasskey(await callApi('POST /api/identity/sign-in/second-factor/options'));
      // `onPasskey` has shown the error; the user can try again.
      if (passkey) await onPasskey(passkey).catch(() => undefined);
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
      if (problemOf(error).code === 'auth/sign-in-expired') onBack();
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

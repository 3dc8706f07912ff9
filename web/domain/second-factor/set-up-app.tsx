import { encode } from 'uqr';
import * as z from 'zod/mini';
import { OneTimeCode } from '#contract/second-factor-codes.ts';
import { defineForm } from '../define-form.ts';
import { messageOf } from '../messages.ts';
import { Button } from '#web/ui/button.tsx';
import { Dialog, DialogButtons } from '#web/ui/dialog.tsx';
import { TextField } from '#web/ui/field.tsx';
import { useForm } from '#web/ui/use-form.ts';

export interface SetUpAppProps {
  secret: string;
  uri: string;
  onClose: () => void;
  /** Receives new recovery codes if this is the first factor, otherwise null. */
  onDone: (recoveryCodes: string[] | null) => void;
}

const codeForm = defineForm<{ code: string }, string[] | null>({
  schema: z.object({ code: OneTimeCode }),
  send: async (call, body) => {
    const { recoveryCodes } = await call('POST /api/identity/authenticator/confirm', { body });
    return { data: recoveryCodes };
  },
  explain: (problem) => {
    const message = messageOf(problem);
    return problem.code === 'auth/requires-recent-login' ? { formError: message } : { errors: { code: message } };
  },
});

export default function SetUpApp({ secret, uri, onClose, onDone }: SetUpAppProps) {
  const form = useForm(codeForm, {
    hasToasts: true,
    onSent: ({ data }) => onDone(data ?? null),
    // The user has to enter the password and start again; the server then creates a new secret.
    onFailed: ({ code }) => code === 'auth/requires-recent-login' && onClose(),
  });

  return (
    <Dialog onClose={onClose} title="Set up an authenticator app">
      <p>
        Scan this QR code with your authenticator app, or type the key into the app. Then enter the six-digit code that
        the app shows.
      </p>
      <QrCode text={uri} />
      <p className="text-sm text-ink-soft">
        Key: <code className="text-ink wrap-anywhere">{secret.match(/.{1,4}/gu)?.join(' ')}</code>
        <br />
        <a href={uri} className="link">
          Open the app on this device
        </a>
      </p>
      <form className="grid gap-4" method="dialog" {...form.props}>
        <TextField label="Code" inputMode="numeric" autoComplete="one-time-code" {...form.field('code')} />
        <DialogButtons onCancel={onClose}>
          <Button type="submit" busy={form.busy('Checking...')}>
            Turn on
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}

/**
 * Draws a QR code as SVG: one path for the background and one for all dark modules. A screen needs little error
 * correction, so level L makes the modules large. The code is dark on light in every theme, with the quiet zone that
 * scanners need.
 */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'L', border: 4 });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])));
  return (
    <svg
      role="img"
      aria-label="QR code of the key"
      width="200"
      height="200"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="mx-auto"
    >
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={squares.join('')} />
    </svg>
  );
}

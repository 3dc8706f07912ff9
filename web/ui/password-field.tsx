import { Icon } from './icon.tsx';
import { type ComponentProps, useId, useState } from 'react';
import { FieldError } from './field.tsx';

type Props = Omit<ComponentProps<'input'>, 'id' | 'type'> & {
  label: string;
  hint?: string;
  error?: string | undefined;
};

/** Password managers read the account name from this field. */
export const UserNameField = ({ email }: { email: string | undefined }) => (
  <input type="email" name="username" autoComplete="username" value={email ?? ''} readOnly hidden />
);

/** Allows pasting, password managers and showing the password (WCAG 2.2, 3.3.8). */
export function PasswordField({ label, hint, error, ...rest }: Props) {
  const id = useId();
  const [shown, setShown] = useState(false);
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {hint && (
        <p id={`${id}-hint`} className="text-sm text-ink-soft">
          {hint}
        </p>
      )}
      <div className="relative">
        <input
          {...rest}
          id={id}
          type={shown ? 'text' : 'password'}
          className="control pr-12"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={Boolean(error)}
          aria-describedby={[hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined}
        />
        <button
          type="button"
          className="absolute inset-y-0 right-0 grid w-11 place-items-center rounded-control text-ink-soft hover:text-ink"
          aria-label="Show password"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          <Icon name={shown ? 'eye-off' : 'eye'} />
        </button>
      </div>
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  );
}

import { useEffect, useState } from 'react';
import type { PasswordStatus } from '#contract/identity.ts';
import { countCodePoints, fieldLengths } from '#contract/field-lengths.ts';
import { callApi } from '#web/platform/api.ts';
import { getMinPasswordLength } from './password-advice.ts';
import { Icon } from '#web/ui/icon.tsx';
import { PasswordField } from '#web/ui/password-field.tsx';
import type { PageForm } from '#web/ui/use-form.ts';

interface Props {
  label: string;
  field: PageForm['field'];
  typed: string | undefined;
  email: string | undefined;
}

/** Gives live feedback on the password policy (D17 in docs/conformance.md). */
export function NewPasswordFields({ label, typed = '', email, field }: Props) {
  return (
    <>
      <div className="grid gap-2">
        <PasswordField label={label} autoComplete="new-password" {...field('password')} />
        <Rules typed={typed} email={email} />
      </div>
      <PasswordField label="Confirm password" autoComplete="new-password" {...field('confirmPassword')} />
    </>
  );
}

type ServerRules = Partial<Pick<PasswordStatus, 'isNotCommon' | 'isNotOwnEmail'>>;

function Rules({ typed, email }: { typed: string; email: string | undefined }) {
  const status = usePasswordStatus(typed, email);
  const length = countCodePoints(typed);
  const min = useMinPasswordLength();
  // An empty field breaks no rule yet.
  const ifTyped = (isMet: boolean | undefined) => (typed === '' ? undefined : isMet);
  const rules: [text: string, isMet: boolean | undefined][] = [
    [`${min} to ${fieldLengths.passwordMax} characters`, ifTyped(length >= min && length <= fieldLengths.passwordMax)],
    ['Not a common password', ifTyped(status.isNotCommon)],
    ['Not your email address', ifTyped(status.isNotOwnEmail)],
  ];
  const missing = rules.flatMap(([text, isMet]) => (isMet === false ? text : []));
  return (
    <>
      <ul className="grid gap-1 text-sm text-ink-soft" aria-label="Password requirements">
        {rules.map(([text, isMet]) => (
          <li key={text} className="flex items-center gap-2">
            <Mark isMet={isMet} />
            <span className={isMet === false ? 'font-medium text-danger' : ''}>
              {text}
              {isMet !== undefined && <span className="sr-only">{isMet ? ': met' : ': not met'}</span>}
            </span>
          </li>
        ))}
      </ul>
      <p role="status" className="sr-only">
        {missing.length > 0 ? `Not met: ${missing.join(', ')}` : ''}
      </p>
    </>
  );
}

/** The shape shows the state, because colour alone is not accessible. */
function Mark({ isMet }: { isMet: boolean | undefined }) {
  if (isMet === true) return <Icon name="check" className="size-4 shrink-0 text-success" />;
  if (isMet === false) return <Icon name="circle-exclamation-point" className="size-4 shrink-0 text-danger" />;
  return (
    <span className="grid size-4 shrink-0 place-items-center">
      <span className="size-2.5 rounded-full border border-line-strong" />
    </span>
  );
}

function useMinPasswordLength(): number {
  const [min, setMin] = useState<number>(fieldLengths.passwordMin);
  useEffect(() => void getMinPasswordLength().then(setMin), []);
  return min;
}

const checkDelayMs = 300;

/** Returns an empty object if the request fails: then only the form's own rules apply. */
function usePasswordStatus(typed: string, email: string | undefined): ServerRules {
  const [answer, setAnswer] = useState<{ typed: string; rules: ServerRules }>({ typed: '', rules: {} });
  useEffect(() => {
    if (typed === '') return undefined;
    let isOutdated = false;
    const body = { password: typed, ...(email && { email }) };
    const timer = setTimeout(() => {
      callApi('POST /api/identity/password-status', { body }).then(
        (rules) => {
          // Ignores a late response about an earlier value.
          if (!isOutdated) setAnswer({ typed, rules });
        },
        () => undefined,
      );
    }, checkDelayMs);
    return () => {
      isOutdated = true;
      clearTimeout(timer);
    };
  }, [typed, email]);
  // The last response stays until the next one arrives, so that the rules do not flicker while the user types.
  return typed === '' ? {} : answer.rules;
}

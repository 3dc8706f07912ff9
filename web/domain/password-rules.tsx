import { useEffect, useState } from 'react';
import type { PasswordStatus } from '#contract/identity.ts';
import { countCodePoints, fieldLengths } from '#contract/field-lengths.ts';
import { callApi } from '../platform/api.ts';
import { getMinPasswordLength } from './password-advice.ts';
import { Icon } from '../ui/icon.tsx';
import { PasswordField } from '../ui/password-field.tsx';
import type { SchemaForm } from '../ui/use-schema-form.ts';

type Input = ReturnType<SchemaForm<Record<string, string>, unknown>['field']>;

interface Props {
  label: string;
  /** `field` of a form that has both of them. */
  field: (name: 'password' | 'confirmPassword', options?: { deps: 'confirmPassword'[] }) => Input;
  /** What has been typed so far. */
  typed: string | undefined;
  /** Whose password it will be, as far as that is known. */
  email: string | undefined;
}

/** The fields for a new password, with live feedback from the password policy (decision 17), and for its confirmation. */
export function NewPasswordFields({ label, typed = '', email, field }: Props) {
  return (
    <>
      <div className="grid gap-2">
        <PasswordField
          label={label}
          autoComplete="new-password"
          {...field('password', { deps: ['confirmPassword'] })}
        />
        <Rules typed={typed} email={email} />
      </div>
      <PasswordField label="Confirm password" autoComplete="new-password" {...field('confirmPassword')} />
    </>
  );
}

type Known = Partial<Pick<PasswordStatus, 'isNotCommon' | 'isNotOwnEmail'>>;

function Rules({ typed, email }: { typed: string; email: string | undefined }) {
  const status = usePasswordStatus(typed, email);
  const length = countCodePoints(typed);
  const min = useMinPasswordLength();
  // Nothing is wrong with a field in which nobody has typed.
  const judged = (isMet: boolean | undefined) => (typed === '' ? undefined : isMet);
  const rules: [text: string, isMet: boolean | undefined][] = [
    [`${min} to ${fieldLengths.passwordMax} characters`, judged(length >= min && length <= fieldLengths.passwordMax)],
    ['Not a common password', judged(status.isNotCommon)],
    ['Not your email address', judged(status.isNotOwnEmail)],
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

/** By shape as well as by colour. */
function Mark({ isMet }: { isMet: boolean | undefined }) {
  if (isMet === true) return <Icon name="check" className="size-4 shrink-0 text-success" />;
  if (isMet === false) return <Icon name="circle-exclamation-point" className="size-4 shrink-0 text-danger" />;
  return (
    <span className="grid size-4 shrink-0 place-items-center">
      <span className="size-2.5 rounded-full border border-line-strong" />
    </span>
  );
}

/** The shortest password that this archive takes: the specification's, until the server has said otherwise. */
function useMinPasswordLength(): number {
  const [min, setMin] = useState<number>(fieldLengths.passwordMin);
  useEffect(() => void getMinPasswordLength().then(setMin), []);
  return min;
}

/** Milliseconds without a key until the server is asked. */
const checkDelayMs = 300;

/** What the server knows of a password; without an answer nothing, and then the form's own rules have to do. */
function usePasswordStatus(typed: string, email: string | undefined): Known {
  const [answer, setAnswer] = useState<{ typed: string; known: Known }>({ typed: '', known: {} });
  useEffect(() => {
    if (typed === '') return undefined;
    let isOld = false;
    const body = { password: typed, ...(email && { email }) };
    const timer = setTimeout(() => {
      callApi('POST /api/identity/password-status', { body }).then(
        (known) => {
          // A slow answer about what has been typed before says nothing about what stands there now.
          if (!isOld) setAnswer({ typed, known });
        },
        () => undefined,
      );
    }, checkDelayMs);
    return () => {
      isOld = true;
      clearTimeout(timer);
    };
  }, [typed, email]);
  // Until the next answer the last one stays, so that nothing flickers while somebody types.
  return typed === '' ? {} : answer.known;
}

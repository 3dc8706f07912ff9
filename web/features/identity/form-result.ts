import type { SecondFactorMethods } from './second-step.tsx';

/**
 * What a page shows after its form was sent without scripts: the messages and what was typed, never a password. Pages get
 * it from `useActionData`; with scripts, forms are sent as JSON and there is none.
 */
export interface FormResult {
  readonly values?: Readonly<Record<string, string>>;
  /** Messages by field name. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Why the form as a whole failed. */
  readonly formError?: string;
  /** What succeeded, where the page stays. */
  readonly success?: string;
  /** The address that sign-up refuses. */
  readonly refusedEmail?: { readonly email: string; readonly message: string };
  /** With what the sign-in can be completed. */
  readonly methods?: SecondFactorMethods;
  /** Where the reset mail was sent. */
  readonly sentTo?: string;
  /** The address that the account has again. */
  readonly restoredEmail?: string;
}

/** The value and the message that a field of a sent form is shown with again. */
export function getSubmittedProps(formResult: FormResult | undefined, name: string, error: string | undefined) {
  const value = formResult?.values?.[name];
  return { ...(value !== undefined && { defaultValue: value }), error: error ?? formResult?.errors?.[name] };
}

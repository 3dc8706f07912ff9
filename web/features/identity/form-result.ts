/** The second factors that the account has set up. */
export interface SecondFactorMethods {
  readonly authenticator: boolean;
  readonly passkey: boolean;
  readonly recoveryCode: boolean;
}

/**
 * Result of a form that was sent without JavaScript: the messages and the typed values, never a password. Pages read
 * the result with `useActionData`. With JavaScript, forms are sent as JSON and have no such result.
 */
export interface FormResult {
  readonly values?: Readonly<Record<string, string>>;
  /** Error messages by field name. */
  readonly errors?: Readonly<Record<string, string>>;
  /** The error message for the whole form. */
  readonly formError?: string;
  /** Success message, unless the form redirects to another page. */
  readonly success?: string;
  /** Address that sign-up refused, with the reason. */
  readonly refusedEmail?: { readonly email: string; readonly message: string };
  /** Second factors that can complete the sign-in. */
  readonly methods?: SecondFactorMethods;
  /** Address to which the reset mail was sent. */
  readonly sentTo?: string;
  /** Address that was restored. */
  readonly restoredEmail?: string;
  readonly hasRefusedChange?: boolean;
}

/** Returns the props that fill in a field again after its form was sent: the typed value and the error message. */
export function getSubmittedProps(formResult: FormResult | undefined, name: string, error: string | undefined) {
  const value = formResult?.values?.[name];
  return { ...(value !== undefined && { defaultValue: value }), error: error ?? formResult?.errors?.[name] };
}

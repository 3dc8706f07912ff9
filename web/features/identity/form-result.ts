/** The second factors that the account has set up. */
export interface SecondFactorMethods {
  readonly authenticator: boolean;
  readonly passkey: boolean;
  readonly recoveryCode: boolean;
}

/**
 * The result of a form that was sent without JavaScript: the messages and the typed values, never a password. Pages read it
 * with `useActionData`. With JavaScript, forms are sent as JSON and there is no such result.
 */
export interface FormResult {
  readonly values?: Readonly<Record<string, string>>;
  /** Error messages by field name. */
  readonly errors?: Readonly<Record<string, string>>;
  /** The error message for the whole form. */
  readonly formError?: string;
  /** Success message, unless the form redirects to another page. */
  readonly success?: string;
  /** The address that sign-up refused, with the reason. */
  readonly refusedEmail?: { readonly email: string; readonly message: string };
  /** The second factors that can complete the sign-in. */
  readonly methods?: SecondFactorMethods;
  /** The address to which the reset mail was sent. */
  readonly sentTo?: string;
  /** The address that was restored. */
  readonly restoredEmail?: string;
}

/** Returns the props that fill in a field again after its form was sent: the typed value and the error message. */
export function getSubmittedProps(formResult: FormResult | undefined, name: string, error: string | undefined) {
  const value = formResult?.values?.[name];
  return { ...(value !== undefined && { defaultValue: value }), error: error ?? formResult?.errors?.[name] };
}

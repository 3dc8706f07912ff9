import type { Ways } from './second-step.tsx';

/**
 * What a page shows after its form was sent without scripts: the messages and what was typed, never a password. Pages get
 * it from `useActionData`; with scripts, forms are sent as JSON and there is none.
 */
export interface Sent {
  readonly values?: Readonly<Record<string, string>>;
  /** Messages by field name. */
  readonly errors?: Readonly<Record<string, string>>;
  /** Why the form as a whole failed. */
  readonly fault?: string;
  /** What succeeded, where the page stays. */
  readonly news?: string;
  /** The address that sign-up refuses. */
  readonly refused?: { readonly email: string; readonly message: string };
  /** With what the sign-in can be completed. */
  readonly ways?: Ways;
  /** Where the reset mail was sent. */
  readonly sentTo?: string;
  /** The address that the account has again. */
  readonly restored?: string;
}

/** The value and the message that a field of a sent form is shown with again. */
export function shownAgain(sent: Sent | undefined, name: string, error: string | undefined) {
  const value = sent?.values?.[name];
  return { ...(value !== undefined && { defaultValue: value }), error: error ?? sent?.errors?.[name] };
}

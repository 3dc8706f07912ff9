/** By the key in the query string: `?toast=login-required`. Other keys are ignored. */
export const redirectToasts = {
  'login-required': { kind: 'info', text: 'Please login to continue' },
  'verification-failed': { kind: 'error', text: 'Email verification failed. Try again' },
} as const satisfies Record<string, { kind: 'info' | 'error' | 'success'; text: string }>;

export type RedirectToastKey = keyof typeof redirectToasts;

export const isRedirectToastKey = (key: string | null): key is RedirectToastKey =>
  key !== null && Object.hasOwn(redirectToasts, key);

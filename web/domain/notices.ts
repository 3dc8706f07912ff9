/** Toasts that a redirect can ask for, by a key in the address: `?notice=login-required`. Other keys show nothing. */
export const notices = {
  'login-required': { kind: 'info', text: 'Please login to continue' },
  'verification-failed': { kind: 'error', text: 'Email verification failed. Try again' },
} as const satisfies Record<string, { kind: 'info' | 'error' | 'success'; text: string }>;

export type NoticeKey = keyof typeof notices;

export const isNoticeKey = (key: string | null): key is NoticeKey => key !== null && Object.hasOwn(notices, key);

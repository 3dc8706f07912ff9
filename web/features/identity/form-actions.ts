import type { FormPage } from '#contract/page.ts';
import { createFormAction } from '#web/platform/form.ts';
import {
  createSecondFactorForm,
  newPasswordForm,
  recoverForm,
  resendForm,
  resetRequestForm,
  signInForm,
  signOutForm,
  signUpForm,
  verifyForm,
} from './forms.ts';

export const identityFormActions = {
  '/login': createFormAction(({ intent, way }) => {
    if (intent === 'sign-out') return signOutForm;
    return way === undefined ? signInForm : createSecondFactorForm(way);
  }),
  '/signup': createFormAction(() => signUpForm),
  '/reset-password': createFormAction(() => resetRequestForm),
  '/send-verification-email': createFormAction(() => resendForm),
  '/verify-email-address': createFormAction(() => verifyForm),
  '/new-password': createFormAction(() => newPasswordForm),
  '/recover-email': createFormAction(() => recoverForm),
} satisfies Partial<Record<FormPage, unknown>>;

import type { FormPage } from '#contract/page.ts';
import { createFormAction } from '#web/platform/form.ts';
import {
  campusConfirmForm,
  campusConnectForm,
  campusSignUpForm,
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
  '/campus': createFormAction(({ intent }) => {
    if (intent === 'sign-up') return campusSignUpForm;
    return intent === 'connect' ? campusConnectForm : campusConfirmForm;
  }),
} satisfies Partial<Record<FormPage, unknown>>;

import * as z from 'zod/mini';
import { Email, NewPassword, Password } from '#contract/fields.ts';
import type { ActionMode, User } from '#contract/identity.ts';
import type { Proof } from '#contract/second-factor.ts';
import { OneTimeCode, RecoveryCode } from '#contract/second-factor-codes.ts';
import { defineForm } from '#web/domain/define-form.ts';
import { messageOf } from '#web/domain/messages.ts';
import { getPasswordAdvice } from '#web/domain/password-advice.ts';
import { Confirmation, withConfirmation } from '#web/domain/password-confirmation.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { pathAfterSignIn } from './local-path.ts';
import { signInMessageOf } from './sign-in-message.ts';

export interface SecondFactorMethods {
  readonly authenticator: boolean;
  readonly passkey: boolean;
  readonly recoveryCode: boolean;
  readonly isByCampus?: true | undefined;
}

export interface SignInData {
  readonly user?: User;
  readonly methods?: SecondFactorMethods | undefined;
}

export const signInForm = defineForm<{ email: string; password: string }, SignInData>({
  schema: z.object({ email: Email, password: Password }),
  keep: ['email'],
  urlFields: ['from'],
  send: async (call, body, { from = null }) => {
    const { user } = await call('POST /api/identity/sign-in', { body });
    return { success: 'Welcome', goTo: pathAfterSignIn(user, from), data: { user } };
  },
  explain: async (problem, _, call) => {
    const isFirstStep = problem.code === 'auth/multi-factor-required';
    const methods = isFirstStep && (await call('GET /api/identity/sign-in/second-factor').catch(() => false as const));
    return methods ? { data: { methods } } : { formError: signInMessageOf(problem) };
  },
});

export const createSecondFactorForm = (way: string | undefined) => {
  const isRecovery = way === 'recoveryCode';
  return defineForm<{ typed: string }, SignInData>({
    schema: z.object({ typed: isRecovery ? RecoveryCode : OneTimeCode }),
    urlFields: ['from'],
    send: async (call, { typed }, { from = null }) => {
      const body: Proof = isRecovery ? { recoveryCode: typed } : { code: typed };
      const { user } = await call('POST /api/identity/sign-in/second-factor', { body });
      return { success: 'Welcome', goTo: pathAfterSignIn(user, from), data: { user } };
    },
    explain: async (problem, _, call) => {
      const formError = signInMessageOf(problem);
      if (problem.code === 'auth/sign-in-expired') return { formError };
      const methods = await call('GET /api/identity/sign-in/second-factor').catch(() => undefined);
      // After a network error, the code itself may be correct.
      const isWrong = problem.code === 'auth/invalid-verification-code';
      return { formError, data: { methods }, ...(isWrong && { errors: { typed: messageOf(problem) } }) };
    },
  });
};

export const signOutForm = defineForm({
  send: async (call) => {
    await call('POST /api/identity/sign-out');
    return { goTo: paths.login };
  },
});

export const signUpForm = defineForm<{ email: string; password: string }, User>({
  schema: withConfirmation({ email: Email, password: NewPassword, confirmPassword: Confirmation }),
  keep: ['email'],
  send: async (call, { email, password }, { terms = '' }) => {
    const { user } = await call('POST /api/identity/sign-up', { body: { email, password, terms } });
    return { success: 'Signed up successfully', goTo: paths.sendVerification, data: user };
  },
  explain: async (problem, { email, password }, call) => {
    // The specification fixes the text of the toast. The advice is shown at the field.
    const formError = 'Sign up failed';
    if (problem.code === 'auth/password-does-not-meet-requirements')
      return { formError, errors: { password: await getPasswordAdvice(password, email, call) } };
    return { formError, errors: { [problem.code === 'terms-changed' ? 'terms' : 'email']: messageOf(problem) } };
  },
});

export const campusSignUpForm = defineForm<{ password: string }>({
  schema: withConfirmation({ password: NewPassword, confirmPassword: Confirmation }),
  send: async (call, { password }, { terms = '' }) => {
    await call('POST /api/identity/campus/sign-up', { body: { password, terms } });
    return { success: 'Signed up successfully', goTo: paths.onboarding };
  },
  explain: async (problem, { password }, call, { username }) => {
    if (problem.code === 'terms-changed') return { errors: { terms: messageOf(problem) } };
    if (problem.code !== 'auth/password-does-not-meet-requirements') return { formError: messageOf(problem) };
    return { errors: { password: await getPasswordAdvice(password, username, call) } };
  },
});

export const campusConnectForm = defineForm({
  send: async (call, { password = '' }) => {
    if (password !== '') await call('POST /api/identity/reauthenticate', { body: { password } });
    await call('POST /api/identity/campus');
    return { goTo: paths.campus };
  },
  explain: (problem) => {
    if (problem.code === 'auth/requires-recent-login') return { errors: { password: 'Enter your password' } };
    if (problem.code === 'auth/invalid-credential') return { errors: { password: 'Wrong password' } };
    return { formError: messageOf(problem) };
  },
});

export const campusConfirmForm = defineForm({
  send: async (call) => {
    await call('POST /api/membership/campus');
    return { goTo: paths.confirm };
  },
});

export const resetRequestForm = defineForm<{ email: string }, string>({
  schema: z.object({ email: Email }),
  keep: ['email'],
  send: async (call, body) => {
    await call('POST /api/identity/password-reset', { body });
    return { success: 'Reset email sent', data: body.email };
  },
  explain: (problem) => ({ formError: 'Failed', errors: { email: messageOf(problem) } }),
});

export const resendForm = defineForm<unknown, number>({
  send: async (call) => {
    const { retryAfter } = await call('POST /api/identity/verification');
    return { success: 'Verification email sent successfully', data: retryAfter };
  },
  explain: (problem) => ({ formError: messageOf(problem), data: problem.retryAfter }),
});

export const verifyForm = defineForm({
  urlFields: ['actionCode'],
  send: async (call, { actionCode: code = '' }) => {
    await call('POST /api/identity/action-code/apply', { body: { code } });
    return { goTo: paths.onboarding };
  },
  explain: () => ({ goTo: withParam(paths.login, 'toast', 'verification-failed') }),
});

export const newPasswordForm = defineForm<{ password: string }>({
  schema: withConfirmation({ password: NewPassword, confirmPassword: Confirmation }),
  urlFields: ['actionCode'],
  send: async (call, { password }, { actionCode: code = '' }) => {
    await call('POST /api/identity/password-reset/confirm', { body: { code, password } });
    return { success: 'Password changed successfully' };
  },
  explain: async (problem, { password }, call, { username }) => {
    if (problem.code.endsWith('action-code') || problem.code === 'validation-failed')
      return { goTo: withParam(paths.resetPassword, 'toast', 'verification-failed') };
    const isRefused = problem.code === 'auth/password-does-not-meet-requirements';
    const message = isRefused ? await getPasswordAdvice(password, username, call) : messageOf(problem);
    return { formError: 'Error changing password', errors: { password: message } };
  },
});

export const recoverForm = defineForm<Record<string, string>, { mode: ActionMode; email: string }>({
  urlFields: ['actionCode'],
  send: async (call, { actionCode: code = '' }) => ({
    data: await call('POST /api/identity/action-code/apply', { body: { code } }),
  }),
});

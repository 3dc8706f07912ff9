import type { User } from '#contract/identity.ts';
import type { Problem } from '#contract/problem.ts';
import { NewPassword } from '#contract/fields.ts';
import { defineForm } from '#web/domain/define-form.ts';
import { messageOf } from '#web/domain/messages.ts';
import { getPasswordAdvice } from '#web/domain/password-advice.ts';
import { Confirmation, withConfirmation } from '#web/domain/password-confirmation.ts';
import { paths } from '#web/domain/paths.ts';
import { pathAfterSignIn } from './local-path.ts';

export const campusSignUpForm = defineForm<{ password: string }, User>({
  schema: withConfirmation({ password: NewPassword, confirmPassword: Confirmation }),
  send: async (call, { password }, { terms = '', from = null }) => {
    const { user } = await call('POST /api/identity/campus/sign-up', { body: { password, terms } });
    return { success: 'Signed up successfully', goTo: pathAfterSignIn(user, from), data: user };
  },
  explain: async (problem, { password }, call, { username }) => {
    const { code } = problem;
    if (code === 'terms-changed') return { errors: { terms: messageOf(problem) } };
    if (code !== 'auth/password-does-not-meet-requirements') return { formError: messageOf(problem) };
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
    const error = passwordErrorOf(problem);
    return error === undefined ? { formError: messageOf(problem) } : { errors: { password: error } };
  },
});

const passwordErrorOf = ({ code }: Problem): string | undefined =>
  code === 'auth/requires-recent-login'
    ? 'Enter your password'
    : code === 'auth/invalid-credential'
      ? 'Wrong password'
      : undefined;

export const campusConfirmForm = defineForm({
  send: async (call) => {
    await call('POST /api/membership/campus');
    return { goTo: paths.confirm };
  },
});

import { type ActionFunctionArgs, data, redirect } from 'react-router';
import type * as z from 'zod/mini';
import { OneTimeCode, RecoveryCode } from '#contract/second-factor-codes.ts';
import type { User } from '#contract/identity.ts';
import type { FormPage } from '#contract/page.ts';
import type { Proof } from '#contract/second-factor.ts';
import { messageOf } from '../../domain/messages.ts';
import { getPasswordAdvice } from '../../domain/password-advice.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { problemOf } from '../../platform/api.ts';
import { loaderServices } from '../../platform/loader-services.ts';
import { pathAfterSignIn } from './local-path.ts';
import { signInMessageOf } from './sign-in-message.ts';
import { NewPasswordForm, ResetRequestForm, SignInForm, SignUpForm } from './schemas.ts';
import type { FormResult } from './form-result.ts';

/*
 * The form actions of the identity pages, for browsers without JavaScript. They run only on the server
 * (`web/entry-server.tsx`) and make the same API calls as the pages with JavaScript.
 */

type Fields = Record<string, string>;
type Action = (args: ActionFunctionArgs) => Promise<unknown>;

export const identityFormActions = {
  '/login': async (args: ActionFunctionArgs) => {
    const { fields, call } = await readForm(args);
    if (fields['act'] === 'sign-out') return signOut(args);
    if (fields['way'] !== undefined) return completeSignIn(args, fields);
    const { body, invalid } = validate(SignInForm, fields);
    if (!body) return invalid;
    try {
      return redirectAfterSignIn(args, (await call('POST /api/identity/sign-in', { body })).user);
    } catch (error) {
      if (problemOf(error).code === 'auth/multi-factor-required') return requestSecondFactor(args);
      return createFailure(error, { values: pickEmail(fields), formError: signInMessageOf(problemOf(error)) });
    }
  },
  '/signup': async (args: ActionFunctionArgs) => {
    const { fields, call } = await readForm(args);
    const { body, invalid } = validate(SignUpForm, fields);
    if (!body) return invalid;
    const { email, password } = body;
    try {
      await call('POST /api/identity/sign-up', { body: { email, password, terms: fields['terms'] ?? '' } });
      return redirect(paths.sendVerification, 303);
    } catch (error) {
      const problem = problemOf(error);
      const message = messageOf(problem);
      const values = pickEmail(fields);
      const formError = 'Sign up failed';
      if (problem.code === 'auth/password-does-not-meet-requirements')
        return createFailure(error, {
          values,
          formError,
          errors: { password: await getPasswordAdvice(password, email, call) },
        });
      if (problem.code === 'auth/email-already-in-use')
        return createFailure(error, {
          values,
          formError,
          refusedEmail: { email: fields['email'] ?? '', message },
        });
      return createFailure(error, { values, formError: `${formError}. ${message}` });
    }
  },
  '/reset-password': async (args: ActionFunctionArgs) => {
    const { fields, call } = await readForm(args);
    const { body, invalid } = validate(ResetRequestForm, fields);
    if (!body) return invalid;
    try {
      await call('POST /api/identity/password-reset', { body });
      return { sentTo: body.email } satisfies FormResult;
    } catch (error) {
      return createFailure(error, {
        values: pickEmail(fields),
        formError: 'Failed',
        errors: { email: messageOf(problemOf(error)) },
      });
    }
  },
  '/send-verification-email': async (args: ActionFunctionArgs) => {
    const { fields, call } = await readForm(args);
    if (fields['act'] === 'sign-out') return signOut(args);
    try {
      await call('POST /api/identity/verification');
      return { success: 'Verification email sent successfully' } satisfies FormResult;
    } catch (error) {
      return createFailure(error, { formError: messageOf(problemOf(error)) });
    }
  },
  '/verify-email-address': async (args: ActionFunctionArgs) => {
    const { code, call } = await readForm(args);
    try {
      await call('POST /api/identity/action-code/apply', { body: { code } });
      return redirect(paths.onboarding, 303);
    } catch {
      return redirect(withParam(paths.login, 'toast', 'verification-failed'), 303);
    }
  },
  '/new-password': async (args: ActionFunctionArgs) => {
    const { fields, code, call } = await readForm(args);
    const { body, invalid } = validate(NewPasswordForm, fields);
    if (!body) return invalid;
    const { password } = body;
    try {
      await call('POST /api/identity/password-reset/confirm', { body: { code, password } });
      return { success: 'Password changed successfully' } satisfies FormResult;
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code.endsWith('action-code') || problem.code === 'validation-failed')
        return redirect(withParam(paths.resetPassword, 'toast', 'verification-failed'), 303);
      const message =
        problem.code === 'auth/password-does-not-meet-requirements'
          ? await getPasswordAdvice(password, undefined, call)
          : messageOf(problem);
      return createFailure(error, { formError: 'Error changing password', errors: { password: message } });
    }
  },
  '/recover-email': async (args: ActionFunctionArgs) => {
    const { code, call } = await readForm(args);
    try {
      const { email, mode } = await call('POST /api/identity/action-code/apply', { body: { code } });
      return (
        mode === 'refuseEmailChange' ? { hasRefusedChange: true } : { restoredEmail: email }
      ) satisfies FormResult;
    } catch (error) {
      return createFailure(error, { formError: messageOf(problemOf(error)) });
    }
  },
} satisfies Partial<Record<FormPage, Action>>;

async function readForm({ request, context }: ActionFunctionArgs) {
  const entries = [...(await request.formData())].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const code = new URL(request.url).searchParams.get('actionCode') ?? '';
  return { fields: Object.fromEntries<string>(entries), code, call: context.get(loaderServices).call };
}

/** Returns the values that may be shown again: the email address, never a password. */
const pickEmail = ({ email = '' }: Fields): Fields => ({ email });

/** Validates a form with the schema of its page. A missing field counts as empty. */
function validate<Output>(schema: z.ZodMiniType<Output>, fields: Fields) {
  const parsed = schema.safeParse({ email: '', password: '', confirmPassword: '', ...fields });
  if (parsed.success) return { body: parsed.data };
  const errors: Fields = {};
  for (const { path, message } of parsed.error.issues) errors[String(path[0])] ??= message;
  return { invalid: data<FormResult>({ values: pickEmail(fields), errors }, { status: 422 }) };
}

const createFailure = (error: unknown, formResult: FormResult) =>
  data<FormResult>(formResult, { status: problemOf(error).status });

function redirectAfterSignIn({ request }: ActionFunctionArgs, user: User) {
  const from = new URL(request.url).searchParams.get('from');
  return redirect(pathAfterSignIn(user, from), 303);
}

async function signOut({ context }: ActionFunctionArgs) {
  await context.get(loaderServices).call('POST /api/identity/sign-out');
  return redirect(paths.login, 303);
}

async function requestSecondFactor({ context }: ActionFunctionArgs, errors?: Fields) {
  const { call } = context.get(loaderServices);
  try {
    const methods = await call('GET /api/identity/sign-in/second-factor');
    return data<FormResult>({ methods, ...(errors && { errors }) }, { status: 401 });
  } catch (error) {
    return createFailure(error, { formError: messageOf(problemOf(error)) });
  }
}

async function completeSignIn(args: ActionFunctionArgs, fields: Fields) {
  const isRecovery = fields['way'] === 'recoveryCode';
  const parsed = (isRecovery ? RecoveryCode : OneTimeCode).safeParse(fields['typed'] ?? '');
  if (!parsed.success) return requestSecondFactor(args, { typed: parsed.error.issues[0]?.message ?? '' });
  const body: Proof = isRecovery ? { recoveryCode: parsed.data } : { code: parsed.data };
  try {
    return redirectAfterSignIn(
      args,
      (await args.context.get(loaderServices).call('POST /api/identity/sign-in/second-factor', { body })).user,
    );
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === 'auth/sign-in-expired') return createFailure(error, { formError: messageOf(problem) });
    return requestSecondFactor(args, { typed: signInMessageOf(problem) });
  }
}

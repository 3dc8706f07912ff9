import { type ActionFunctionArgs, data, redirect } from 'react-router';
import type * as z from 'zod/mini';
import { OneTimeCode, RecoveryCode } from '#contract/codes.ts';
import type { User } from '#contract/identity.ts';
import type { FormPage } from '#contract/page.ts';
import type { Proof } from '#contract/second-factor.ts';
import { nextStep } from '../../domain/guards.ts';
import { messageOf } from '../../domain/messages.ts';
import { passwordAdvice } from '../../domain/password-advice.ts';
import { ownPath, paths, withParam } from '../../domain/paths.ts';
import { problemOf } from '../../platform/api.ts';
import { access } from '../../platform/context.ts';
import { NewPasswordForm, ResetRequestForm, SignInForm, SignUpForm } from './schemas.ts';
import type { Sent } from './sent.ts';

/*
 * What the forms of these pages do without scripts. They run on the server only (`web/entry-server.tsx`) and make the same
 * calls as the pages do with scripts.
 */

type Fields = Record<string, string>;
type Action = (args: ActionFunctionArgs) => Promise<unknown>;

export const identityFormActions: Record<FormPage, Action> = {
  '/login': async (args) => {
    const { fields, call } = await read(args);
    if (fields['act'] === 'sign-out') return signOut(args);
    if (fields['way'] !== undefined) return completeSignIn(args, fields);
    const { body, invalid } = check(SignInForm, fields);
    if (!body) return invalid;
    try {
      return enter(args, (await call('POST /api/identity/sign-in', { body })).user);
    } catch (error) {
      if (problemOf(error).code === 'auth/multi-factor-required') return askForMore(args);
      return failed(error, { values: typed(fields), fault: messageOf(problemOf(error)) });
    }
  },
  '/signup': async (args) => {
    const { fields, call } = await read(args);
    const { body, invalid } = check(SignUpForm, fields);
    if (!body) return invalid;
    const { email, password } = body;
    try {
      await call('POST /api/identity/sign-up', { body: { email, password, terms: fields['terms'] ?? '' } });
      return redirect(paths.sendVerification, 303);
    } catch (error) {
      const problem = problemOf(error);
      const message = messageOf(problem);
      const values = typed(fields);
      const fault = 'Sign up failed';
      if (problem.code === 'auth/password-does-not-meet-requirements')
        return failed(error, { values, fault, errors: { password: await passwordAdvice(password, email, call) } });
      if (problem.code === 'auth/email-already-in-use')
        return failed(error, { values, fault, refused: { email: fields['email'] ?? '', message } });
      return failed(error, { values, fault: `${fault}. ${message}` });
    }
  },
  '/reset-password': async (args) => {
    const { fields, call } = await read(args);
    const { body, invalid } = check(ResetRequestForm, fields);
    if (!body) return invalid;
    try {
      await call('POST /api/identity/password-reset', { body });
      return { sentTo: body.email } satisfies Sent;
    } catch (error) {
      return failed(error, { values: typed(fields), fault: 'Failed', errors: { email: messageOf(problemOf(error)) } });
    }
  },
  '/send-verification-email': async (args) => {
    const { fields, call } = await read(args);
    if (fields['act'] === 'sign-out') return signOut(args);
    try {
      await call('POST /api/identity/verification');
      return { news: 'Verification email sent successfully' } satisfies Sent;
    } catch (error) {
      return failed(error, { fault: messageOf(problemOf(error)) });
    }
  },
  '/verify-email-address': async (args) => {
    const { code, call } = await read(args);
    try {
      await call('POST /api/identity/action-code/apply', { body: { code } });
      return redirect(paths.onboarding, 303);
    } catch {
      return redirect(withParam(paths.login, 'notice', 'verification-failed'), 303);
    }
  },
  '/new-password': async (args) => {
    const { fields, code, call } = await read(args);
    const { body, invalid } = check(NewPasswordForm, fields);
    if (!body) return invalid;
    const { password } = body;
    try {
      await call('POST /api/identity/password-reset/confirm', { body: { code, password } });
      return { news: 'Password changed successfully' } satisfies Sent;
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code.endsWith('action-code') || problem.code === 'validation-failed')
        return redirect(withParam(paths.resetPassword, 'notice', 'verification-failed'), 303);
      const message =
        problem.code === 'auth/password-does-not-meet-requirements'
          ? await passwordAdvice(password, undefined, call)
          : messageOf(problem);
      return failed(error, { fault: 'Error changing password', errors: { password: message } });
    }
  },
  '/recover-email': async (args) => {
    const { code, call } = await read(args);
    try {
      const { email } = await call('POST /api/identity/action-code/apply', { body: { code } });
      return { restored: email } satisfies Sent;
    } catch (error) {
      return failed(error, { fault: messageOf(problemOf(error)) });
    }
  },
};

async function read({ request, context }: ActionFunctionArgs) {
  const entries = [...(await request.formData())].filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const code = new URL(request.url).searchParams.get('actionCode') ?? '';
  return { fields: Object.fromEntries<string>(entries), code, call: context.get(access).call };
}

/** What may be shown again. */
const typed = ({ email = '' }: Fields): Fields => ({ email });

/** Parses a form by the rules of the page; a field that is missing counts as empty. */
function check<Output>(schema: z.ZodMiniType<Output>, fields: Fields) {
  const parsed = schema.safeParse({ email: '', password: '', confirmPassword: '', ...fields });
  if (parsed.success) return { body: parsed.data };
  const errors: Fields = {};
  for (const { path, message } of parsed.error.issues) errors[String(path[0])] ??= message;
  return { invalid: data<Sent>({ values: typed(fields), errors }, { status: 422 }) };
}

const failed = (error: unknown, sent: Sent) => data<Sent>(sent, { status: problemOf(error).status });

function enter({ request }: ActionFunctionArgs, user: User) {
  const from = new URL(request.url).searchParams.get('from');
  return redirect(nextStep(user) ?? ownPath(from) ?? paths.dashboard, 303);
}

async function signOut({ context }: ActionFunctionArgs) {
  await context.get(access).call('POST /api/identity/sign-out');
  return redirect(paths.login, 303);
}

async function askForMore({ context }: ActionFunctionArgs, errors?: Fields) {
  const { call } = context.get(access);
  try {
    const ways = await call('GET /api/identity/sign-in/second-factor');
    return data<Sent>({ ways, ...(errors && { errors }) }, { status: 401 });
  } catch (error) {
    return failed(error, { fault: messageOf(problemOf(error)) });
  }
}

async function completeSignIn(args: ActionFunctionArgs, fields: Fields) {
  const isRecovery = fields['way'] === 'recoveryCode';
  const parsed = (isRecovery ? RecoveryCode : OneTimeCode).safeParse(fields['typed'] ?? '');
  if (!parsed.success) return askForMore(args, { typed: parsed.error.issues[0]?.message ?? '' });
  const body: Proof = isRecovery ? { recoveryCode: parsed.data } : { code: parsed.data };
  try {
    return enter(
      args,
      (await args.context.get(access).call('POST /api/identity/sign-in/second-factor', { body })).user,
    );
  } catch (error) {
    const problem = problemOf(error);
    if (problem.code === 'auth/sign-in-expired') return failed(error, { fault: messageOf(problem) });
    return askForMore(args, { typed: messageOf(problem) });
  }
}

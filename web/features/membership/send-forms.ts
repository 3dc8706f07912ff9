import type { Call } from '#contract/call.ts';
import { messageOf } from '../../domain/messages.ts';
import { paths } from '../../domain/paths.ts';
import { problemOf } from '../../platform/api.ts';

/*
 * Sends the forms of this feature, with and without JavaScript. `call` calls the API: in the browser, or on the server for a posted form. No
 * result reveals anything about the university's list.
 */

export type Fields = Readonly<Record<string, string>>;

/** Result of a form. */
export interface FormResult {
  /** The value of the button that was pressed. */
  readonly act: string;
  /** What the user typed, to fill in the form again. */
  readonly values?: Fields;
  /** Error messages by field name. */
  readonly errors?: Fields;
  /** The error message for the whole form. */
  readonly formError?: string;
  /** Whether the form works after the user has entered the password. */
  readonly needsPassword?: boolean;
  readonly success?: string;
  /** A link to send to classmates. */
  readonly link?: { readonly url: string; readonly expiresAt: string };
  /** The page to open next. */
  readonly goTo?: string;
  /** HTTP status of a failure. */
  readonly status?: number;
}

export type SendForm = (call: Call, fields: Fields) => Promise<FormResult>;

/** Runs the calls of a form and turns a failure into its messages. */
async function attempt(fields: Fields, send: () => Promise<Omit<FormResult, 'act'>>): Promise<FormResult> {
  const { act = '' } = fields;
  try {
    return { act, ...(await send()) };
  } catch (error) {
    const problem = problemOf(error);
    const failure = { act, values: fields, status: problem.status };
    if (problem.code === 'membership/wrong-code') return { ...failure, errors: { code: wrongCode } };
    if (problem.code === 'profile-changed') return { ...failure, formError: claimantChanged };
    if (problem.code === 'auth/requires-recent-login')
      return { ...failure, formError: passwordNeeded, needsPassword: true };
    if (problem.code !== 'validation-failed') return { ...failure, formError: messageOf(problem) };
    const errors = (problem.errors ?? []).map(({ pointer, message }) => [pointer.slice(1), message] as const);
    return { ...failure, errors: Object.fromEntries(errors) };
  }
}

const wrongCode = 'This code does not work. Check each letter and digit. A code works only once, and it expires.';

const claimantChanged = 'The name or class has changed since you opened this page. Please look again.';

/** What also works without JavaScript: logging in enters the password. */
const passwordNeeded =
  'Your answer is not saved yet. It confirms this person, so it needs your password. Log out, log in again, and answer again.';

/** Sends the forms of the page “Confirm that you studied here”. */
export const sendConfirmForm: SendForm = (call, fields) => {
  const { act, code = '', matricNumber = '', dob = '', note = '' } = fields;
  return attempt(fields, async () => {
    if (act === 'code') {
      if (code.trim() === '') return { errors: { code: 'Type the code' }, status: 422 };
      await call('POST /api/membership/codes', { body: { code } });
      return { goTo: paths.confirm };
    }
    if (act === 'mail-code') {
      await call('POST /api/membership/mailed-codes', { body: { matricNumber, dob } });
      return {
        values: fields,
        success:
          'If the list has an email address for this matric number and date of birth, we have sent a code to it. It can take a few minutes. Then choose “I have a code”.',
      };
    }
    if (act === 'claim') {
      await call('POST /api/membership/claims', { body: { matricNumber, dob, note } });
      return { goTo: paths.confirm };
    }
    if (act === 'withdraw') {
      await call('DELETE /api/membership/claims');
      return { goTo: paths.confirm };
    }
    return { link: await call('POST /api/membership/vouch-link') };
  });
};

/** Sends the forms of the page for the code of a slip. */
export const sendJoinForm: SendForm = (call, fields) => {
  const { code = '' } = fields;
  return attempt(fields, async () => {
    if (code.trim() === '') return { errors: { code: 'Type the code' }, status: 422 };
    if (fields['act'] === 'open') return { goTo: `/join/${encodeURIComponent(code.trim())}` };
    await call('POST /api/membership/codes', { body: { code } });
    return { goTo: paths.confirm };
  });
};

const answers = ['yes', 'unsure', 'no'] as const;
export type Answer = (typeof answers)[number];

/** An answer to a person who sent a link with this `code`. `version` is the version of the person that the page shows. */
export const sendVouchForm: SendForm = (call, fields) => {
  const { code = '', version = '' } = fields;
  const answer = answers.find((known) => known === fields['act']) ?? 'unsure';
  const body = { answer, version };
  return attempt(fields, async () => {
    await call('PUT /api/membership/vouch-links/{code}', { params: { code }, body });
    return { success: 'Thank you. Your answer is saved.' };
  });
};

/** Sends the report of a person who received a notice. */
export const sendDisputeForm: SendForm = (call, fields) => {
  const { code = '', text = '' } = fields;
  return attempt(fields, async () => {
    await call('POST /api/membership/disputes', { body: { code, text } });
    return { success: 'Thank you. The alumni office will check this and write to your email address.' };
  });
};

import type { Problem } from '#contract/problem.ts';
import { maxDocumentBytes, wrongDocument } from '#contract/upload-limits.ts';
import { defineForm, explainProblem } from '#web/domain/define-form.ts';
import { paths } from '#web/domain/paths.ts';
import { readPicture, shrinkPhoto } from '#web/domain/pictures.ts';
import type { FormResult } from '#web/platform/form.ts';

/* The forms work with and without JavaScript. No result reveals anything about the university's list. */

export interface VouchLink {
  readonly url: string;
  readonly expiresAt: string;
}

const wrongCode = 'This code does not work. Check each letter and digit. A code works only once, and it expires.';

const claimantChanged = 'The name or class has changed since you opened this page. Please look again.';

/** What also works without JavaScript: logging in enters the password. */
const passwordNeeded =
  'Your answer is not saved yet. It confirms this person, so it needs your password. Log out, log in again, and answer again.';

const questionClosed = 'This question was already answered, or your request was decided. Open the page again.';

/** Returns base64, of a photo that the browser has resized. Of a file that is too large, a text that is refused. */
async function readDocument(file: FormDataEntryValue | null): Promise<string> {
  if (!(file instanceof File) || file.size === 0) return '';
  const photo = import.meta.env.SSR ? null : await readPicture(file).catch(() => null);
  if (photo) {
    URL.revokeObjectURL(photo.url);
    return shrinkPhoto(photo.image).replace(/^.*,/u, '');
  }
  if (file.size > maxDocumentBytes) return '-';
  let bytes = '';
  for (const byte of new Uint8Array(await file.arrayBuffer())) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

function explain(problem: Problem): Pick<FormResult, 'errors' | 'formError'> {
  if (problem.code === 'membership/wrong-code') return { errors: { code: wrongCode } };
  if (problem.code === 'payload-too-large') return { errors: { document: wrongDocument } };
  if (problem.code === 'profile-changed') return { formError: claimantChanged };
  if (problem.code === 'auth/requires-recent-login') return { formError: passwordNeeded };
  return explainProblem(problem);
}

const noCode = { errors: { code: 'Type the code' }, status: 422 };

export const confirmForm = defineForm<Record<string, string>, VouchLink>({
  keep: ['code', 'matricNumber', 'dob', 'note', 'text'],
  explain: (problem, { intent }) =>
    problem.code === 'not-found' && intent === 'answer' ? { formError: questionClosed } : explain(problem),
  send: async (call, { intent, code = '', matricNumber = '', dob = '', note = '', ...fields }, _, form) => {
    if (intent === 'code') {
      if (code.trim() === '') return noCode;
      await call('POST /api/membership/codes', { body: { code } });
      return { goTo: paths.confirm };
    }
    if (intent === 'mail-code') {
      await call('POST /api/membership/mailed-codes', { body: { matricNumber, dob } });
      return {
        success:
          'If the list has an email address for this matric number and date of birth, we have sent a code to it. It can take a few minutes. Then choose “I have a code”.',
      };
    }
    if (intent === 'claim') {
      await call('POST /api/membership/claims', { body: { matricNumber, dob, note } });
      return { goTo: paths.confirm };
    }
    if (intent === 'answer') {
      const { question = '', text = '' } = fields;
      const document = await readDocument(form.get('document'));
      await call('POST /api/membership/answers', { body: { question, text, document } });
      return { goTo: paths.confirm };
    }
    if (intent === 'withdraw') {
      await call('DELETE /api/membership/claims');
      return { goTo: paths.confirm };
    }
    return { data: await call('POST /api/membership/vouch-link') };
  },
});

export const joinForm = defineForm({
  keep: ['code'],
  urlFields: ['code'],
  explain,
  send: async (call, { intent, code = '' }) => {
    if (code.trim() === '') return noCode;
    if (intent === 'open') return { goTo: `/join/${encodeURIComponent(code.trim())}` };
    await call('POST /api/membership/codes', { body: { code } });
    return { goTo: paths.confirm };
  },
});

const answers = ['yes', 'unsure', 'no'] as const;
export type Answer = (typeof answers)[number];

export const vouchForm = defineForm({
  urlFields: ['code'],
  explain,
  send: async (call, { intent, code = '', version = '' }) => {
    const answer = answers.find((known) => known === intent) ?? 'unsure';
    await call('PUT /api/membership/vouch-links/{code}', { params: { code }, body: { answer, version } });
    return { success: 'Thank you. Your answer is saved.' };
  },
});

export const disputeForm = defineForm({
  keep: ['text'],
  urlFields: ['code'],
  explain,
  send: async (call, { code = '', text = '' }) => {
    await call('POST /api/membership/disputes', { body: { code, text } });
    return { success: 'Thank you. The alumni office will check this and write to your email address.' };
  },
});

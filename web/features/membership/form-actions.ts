import { type ActionFunctionArgs, data, redirect } from 'react-router';
import type { FormPage } from '#contract/page.ts';
import { loaderServices } from '../../platform/loader-services.ts';
import {
  type FormResult,
  type SendForm,
  sendConfirmForm,
  sendDisputeForm,
  sendJoinForm,
  sendVouchForm,
} from './send-forms.ts';

/** Returns the action of a form that is submitted without JavaScript. It runs only on the server. */
const createAction =
  (send: SendForm) =>
  async ({ request, context, params }: ActionFunctionArgs) => {
    const posted = [...(await request.formData())].filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    const code = params['code'] ?? new URL(request.url).searchParams.get('code');
    const result = await send(context.get(loaderServices).call, {
      ...(code !== null && { code }),
      ...Object.fromEntries(posted),
    });
    return result.goTo === undefined
      ? data<FormResult>(result, { status: result.status ?? 200 })
      : redirect(result.goTo, 303);
  };

export const membershipFormActions = {
  '/confirm': createAction(sendConfirmForm),
  '/join': createAction(sendJoinForm),
  '/join/:code': createAction(sendJoinForm),
  '/vouch/:code': createAction(sendVouchForm),
  '/not-you': createAction(sendDisputeForm),
} satisfies Partial<Record<FormPage, unknown>>;

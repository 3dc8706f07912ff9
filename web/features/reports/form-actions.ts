import { type ActionFunctionArgs, data } from 'react-router';
import type { FormPage } from '#contract/page.ts';
import { sendReport } from '../../domain/report/send-report.ts';
import { loaderServices } from '../../platform/loader-services.ts';
import { throwNotFound } from '../../platform/route-errors.ts';
import { confirmReport } from './confirm-report.ts';
import { toContentKind } from './content-kind.ts';

/** The actions of forms that are submitted without JavaScript. They run only on the server. */
export const reportFormActions = {
  '/report/:kind/:id': async ({ request, context, params }: ActionFunctionArgs) => {
    const kind = toContentKind(params['kind']) ?? throwNotFound();
    const posted = [...(await request.formData())].filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    );
    const sent = await sendReport(
      context.get(loaderServices).call,
      kind,
      params['id'] ?? '',
      Object.fromEntries(posted),
    );
    return data(sent, { status: sent.status ?? 200 });
  },
  '/report/confirm': async ({ request, context }: ActionFunctionArgs) => {
    const code = new URL(request.url).searchParams.get('code') ?? '';
    const confirmed = await confirmReport(context.get(loaderServices).call, code);
    return data(confirmed, { status: confirmed.status ?? 200 });
  },
} satisfies Partial<Record<FormPage, unknown>>;

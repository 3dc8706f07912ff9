import type { FormPage } from '#contract/page.ts';
import { reportContentForm } from '#web/domain/report/report-content-form.ts';
import { createFormAction } from '#web/platform/form.ts';
import { confirmReportForm, reportMessageForm } from './forms.ts';

export const reportFormActions = {
  '/report/:kind/:id': createFormAction(() => reportContentForm),
  '/report': createFormAction(() => reportMessageForm),
  '/report/confirm': createFormAction(() => confirmReportForm),
} satisfies Partial<Record<FormPage, unknown>>;

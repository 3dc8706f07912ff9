import type { FormPage } from '#contract/page.ts';
import { reportContentForm } from '../../domain/report/report-content-form.ts';
import { createFormAction } from '../../platform/form.ts';
import { confirmReportForm } from './forms.ts';

export const reportFormActions = {
  '/report/:kind/:id': createFormAction(() => reportContentForm),
  '/report/confirm': createFormAction(() => confirmReportForm),
} satisfies Partial<Record<FormPage, unknown>>;

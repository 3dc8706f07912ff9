import type { FormPage } from '#contract/page.ts';
import { createFormAction } from '#web/platform/form.ts';
import { confirmForm, disputeForm, joinForm, vouchForm } from './forms.ts';

export const membershipFormActions = {
  '/confirm': createFormAction(() => confirmForm),
  '/join': createFormAction(() => joinForm),
  '/join/:code': createFormAction(() => joinForm),
  '/vouch/:code': createFormAction(() => vouchForm),
  '/not-you': createFormAction(() => disputeForm),
} satisfies Partial<Record<FormPage, unknown>>;

import type { ReportReason } from '#contract/report-values.ts';
import type { Problem } from '#contract/problem.ts';
import { defineForm } from '#web/domain/define-form.ts';
import { messageOf } from '#web/domain/messages.ts';

export const confirmReportForm = defineForm({
  urlFields: ['code'],
  send: async (call, { code = '' }) => {
    await call('POST /api/reports/confirm', { body: { code } });
    return {};
  },
});

export const reportMessageForm = defineForm({
  keep: ['reason', 'text'],
  urlFields: ['code'],
  send: async (call, { code = '', reason, text = '' }) => {
    await call('POST /api/reports', { body: { code, reason: reason as ReportReason, text: text.trim() } });
    return {};
  },
  explain: (problem) => ({
    formError:
      problem.code === 'validation-failed' ? (problem.errors?.[0]?.message ?? '') : describeInvalidLink(problem),
  }),
});

export const describeInvalidLink = (problem: Problem): string =>
  problem.code === 'not-found' ? 'It is incomplete, not valid or has expired.' : messageOf(problem);

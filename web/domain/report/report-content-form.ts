import { type ContentKind, type ContentReason, type ReportResult, contentReasons } from '#contract/report-values.ts';
import type { Fields } from '#web/platform/form.ts';
import { defineForm, explainProblem } from '../define-form.ts';

export const reportContentForm = defineForm<Fields, { result: ReportResult; email: string }>({
  keep: ['reason', 'text', 'email'],
  send: async (call, { kind = '', id = '', reason = '', text = '', email = '' }) => {
    const reasons: readonly string[] = Object.hasOwn(contentReasons, kind) ? contentReasons[kind as ContentKind] : [];
    if (!reasons.includes(reason)) return { errors: { reason: 'Choose a reason' }, status: 422 };
    const body = { reason: reason as ContentReason, text: text.trim(), email };
    const params = { kind: kind as ContentKind, id };
    const { result } = await call('POST /api/reports/{kind}/{id}', { params, body });
    return { data: { result, email } };
  },
  explain: (problem) =>
    problem.detail !== undefined && problem.code !== 'validation-failed'
      ? { formError: problem.detail }
      : explainProblem(problem),
});

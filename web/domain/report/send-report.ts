import type { Call } from '#contract/call.ts';
import { type ContentKind, type ContentReason, type ReportResult, contentReasons } from '#contract/report-values.ts';
import { problemOf } from '../../platform/api.ts';
import { messageOf } from '../messages.ts';

/** Result of a form that reports a profile or a photo. */
export interface SentReport {
  readonly result?: ReportResult;
  /** What the user typed, to fill in the form again. */
  readonly values?: Readonly<Record<string, string>>;
  /** Error messages by field name. */
  readonly errors?: Readonly<Record<string, string>>;
  /** The error message for the whole form. */
  readonly formError?: string;
  /** HTTP status of a failure. */
  readonly status?: number;
}

/** Sends a report, with and without JavaScript: the browser passes its API call, and the server that of the posted form. */
export async function sendReport(
  call: Call,
  kind: ContentKind,
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<SentReport> {
  const { reason = '', text = '', email = '' } = fields;
  const reasons: readonly string[] = contentReasons[kind];
  if (!reasons.includes(reason)) return { values: fields, errors: { reason: 'Choose a reason' }, status: 422 };
  try {
    const body = { reason: reason as ContentReason, text: text.trim(), email };
    const { result } = await call('POST /api/reports/{kind}/{id}', { params: { kind, id }, body });
    return { result, values: fields };
  } catch (error) {
    const problem = problemOf(error);
    const failure = { values: fields, status: problem.status };
    if (problem.code !== 'validation-failed') return { ...failure, formError: problem.detail ?? messageOf(problem) };
    const errors = (problem.errors ?? []).map(({ pointer, message }) => [pointer.slice(1), message] as const);
    return { ...failure, errors: Object.fromEntries(errors) };
  }
}

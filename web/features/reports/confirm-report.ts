import type { Call } from '#contract/call.ts';
import { messageOf } from '../../domain/messages.ts';
import { problemOf } from '../../platform/api.ts';

/** Result of the form that confirms a report. */
export interface ConfirmedReport {
  readonly isDone?: boolean;
  readonly formError?: string;
  /** HTTP status of a failure. */
  readonly status?: number;
}

/** Confirms a report, with and without JavaScript. */
export async function confirmReport(call: Call, code: string): Promise<ConfirmedReport> {
  try {
    await call('POST /api/reports/confirm', { body: { code } });
    return { isDone: true };
  } catch (error) {
    const problem = problemOf(error);
    return { formError: messageOf(problem), status: problem.status };
  }
}

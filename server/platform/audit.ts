import type { Log } from './log.ts';
import { newToken } from './tokens.ts';

/** Acts of which an operator has to be able to show that they were done, and when. */
export type SensitiveAct =
  | 'account deleted'
  | 'data downloaded'
  | 'password changed'
  | 'password reset'
  | 'address change asked for';

/** Writes down that something was done: what, and when, and nothing of whoever did it. The reference names the line. */
export function recordAct(log: Log, act: SensitiveAct): void {
  log.info({ audit: true, reference: newToken().token.slice(0, 10) }, act);
}

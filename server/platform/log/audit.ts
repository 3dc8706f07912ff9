import type { Log } from './log.ts';
import { newToken } from '../crypto/tokens.ts';

/** Acts of which an operator has to be able to show that they were done, and when. */
export type AuditEvent =
  | 'account deleted'
  | 'account deletion asked for'
  | 'data downloaded'
  | 'password changed'
  | 'password reset'
  | 'address change asked for'
  | 'account switched off by the operator'
  | 'account switched on by the operator'
  | 'account deleted by the operator'
  | 'account deleted again after a restore'
  | 'account deletion cancelled again after a restore'
  | 'account signed out by the operator'
  | 'everybody signed out by the operator'
  | 'second factor taken away by the operator'
  | 'report closed by the operator'
  | 'people imported by the operator';

/**
 * Writes down that something was done: what, and when, and nothing of whoever did it.
 * @returns the reference that names the line
 */
export function recordAuditEvent(log: Log, act: AuditEvent): string {
  const reference = newToken().token.slice(0, 10);
  log.info({ audit: true, reference }, act);
  return reference;
}

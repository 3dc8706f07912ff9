import { newToken } from '#server/platform/crypto/tokens.ts';
import type { Log } from '#server/platform/log/log.ts';

type AuditEvent =
  | 'account deleted'
  | 'account deletion requested'
  | 'data downloaded'
  | 'password changed'
  | 'password reset'
  | 'address change requested'
  | 'account disabled by the operator'
  | 'account enabled by the operator'
  | 'account deleted by the operator'
  | 'account deleted again after a restore'
  | 'account deletion cancelled again after a restore'
  | 'account signed out by the operator'
  | 'all accounts signed out by the operator'
  | 'second factor removed by the operator'
  | 'people imported by the operator'
  | 'roster imported by the operator'
  | 'roster import undone by the operator'
  | 'staff role granted by the operator'
  | 'staff role removed by the operator'
  | 'request of staff approved by the operator'
  | 'roster entry emptied by the operator'
  | 'confirmation of members required by the operator'
  | 'confirmation of members no longer required by the operator';

/** Logs an event, without any personal data. */
export const recordAuditEvent = (log: Log, event: AuditEvent): void =>
  log.info({ audit: true, reference: newToken().token.slice(0, 10) }, event);

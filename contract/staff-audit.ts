/** Acts of staff that the audit log records. */
export const auditActions = [
  'role-granted',
  'role-removed',
  'claim-confirmed',
  'claim-rejected',
  'dispute-kept',
  'dispute-transferred',
  'report-closed',
  'photo-hidden',
  'photo-taken-down',
  'photo-restored',
  'account-suspended',
  'account-restored',
  'correction-proposed',
  'correction-accepted',
  'correction-refused',
  'person-viewed',
  'sessions-ended',
  'address-changed',
  'account-deleted',
  'people-exported',
  'roster-applied',
  'roster-undone',
  'codes-printed',
  'announcement-sent',
  'approval-requested',
  'approval-approved',
  'approval-refused',
  'approval-cancelled',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** What an act concerns. */
export const auditSubjectKinds = [
  'account',
  'claim',
  'dispute',
  'report',
  'correction',
  'photo',
  'roster-import',
  'roster-entry',
  'announcement',
  'approval',
  'export',
] as const;
export type AuditSubjectKind = (typeof auditSubjectKinds)[number];

/* A separate module, so that pages do not load the schemas of the endpoints. */

import { formatCount, formatPeople } from '../counts.ts';

export const staffRoles = ['owner', 'registrar', 'moderator', 'class-representative'] as const;
export type StaffRole = (typeof staffRoles)[number];

/** What staff may do, and the roles that may do it. Each staff endpoint requires one of these rights. */
export const staffRights = {
  claims: ['owner', 'registrar'],
  reports: ['owner', 'moderator'],
  /** Decide reports that only say that a person has died. Who has the right `reports` decides these, too. */
  deaths: ['owner', 'registrar'],
  'propose-corrections': ['owner', 'registrar', 'class-representative'],
  corrections: ['owner', 'registrar'],
  /** Search for people in all states, and read their file with a reason. */
  people: ['owner', 'registrar', 'moderator'],
  'suspend-accounts': ['owner', 'moderator'],
  /** End sessions, change an address, delete an account on request. */
  'change-accounts': ['owner', 'registrar'],
  'export-people': ['owner', 'registrar'],
  /** Import the roster, and print codes. */
  roster: ['owner', 'registrar'],
  coverage: ['owner', 'registrar', 'moderator', 'class-representative'],
  /** A class representative writes to their class only. */
  announcements: ['owner', 'registrar', 'class-representative'],
  /** Invite people on the roster who have no account. */
  invitations: ['owner', 'registrar'],
  'call-lists': ['owner', 'registrar', 'class-representative'],
  /** Merge spellings of employers. */
  employers: ['owner', 'registrar', 'moderator'],
  tracer: ['owner', 'registrar'],
  approvals: ['owner'],
  /** Stop a pending request of another member of staff. */
  'cancel-approvals': ['owner', 'registrar', 'moderator', 'class-representative'],
  'audit-log': ['owner'],
  roles: ['owner'],
} as const satisfies Record<string, readonly StaffRole[]>;
export type StaffRight = keyof typeof staffRights;

export const staffRightNames = Object.keys(staffRights) as StaffRight[];

/** Rights that a role limited to a part of the institution does not have. */
export const unlimitedRights: readonly StaffRight[] = ['roster', 'employers'];

/** Rights that no one has unless the institution allows invitations. */
export const invitationRights: readonly StaffRight[] = ['invitations', 'call-lists'];

export const reviewRights = ['claims', 'reports', 'deaths', 'corrections'] as const satisfies readonly StaffRight[];
export type ReviewRight = (typeof reviewRights)[number];

/** Days for which an invitation to a role waits for a verified account. */
export const invitationDays = 14;

export const approvalKinds = [
  'people-export',
  'announcement',
  'invitations',
  'roster-apply',
  'roster-undo',
  'codes',
  'owner-role',
  'owner-removal',
  'factor-removal',
  'console-access',
  'address-change',
] as const;
export type ApprovalKind = (typeof approvalKinds)[number];

/** Requests that run after `noticeHours` unless they are refused. An approval runs them at once. */
export const noticeKinds: readonly ApprovalKind[] = ['console-access', 'address-change'];

export const noticeHours = 72;

/** `approved`: its job has not run yet. */
export const approvalStates = ['waiting', 'approved', 'refused', 'cancelled', 'done', 'failed'] as const;
export type ApprovalState = (typeof approvalStates)[number];

export const exportApprovalAbove = 100;

/** Printing more codes in 24 hours needs an approval. */
export const codesApprovalAbove = 100;

/** Also of invitations. */
export const announcementApprovalAbove = 500;

/** One invitation and two reminders, to one address. */
export const [maxInvitations, invitationPauseDays] = [3, 21];

export const sendLaterDays = 60;

/** Hours after which a request runs if there is no second owner who could approve it. */
export const soleOwnerHours = 24;

/** Says what happens when a request is approved, as the rest of “Request to …”. */
export const approvalTexts: Record<ApprovalKind, (people: number) => string> = {
  'people-export': (people) => `export the data of ${formatPeople(people)}`,
  announcement: (people) => `send an announcement to ${formatPeople(people)}`,
  invitations: (people) => `invite ${formatPeople(people)} on the roster by email`,
  'roster-apply': (people) =>
    people === 1
      ? 'apply a roster import that changes 1 entry or marks it as missing'
      : `apply a roster import that changes ${formatCount(people)} entries or marks them as missing`,
  'roster-undo': () => 'undo the last roster import',
  codes: (people) => `print codes for ${formatPeople(people)}`,
  'owner-role': () => 'give an account the owner role',
  'owner-removal': () => 'remove an owner',
  'factor-removal': () => 'remove the second factor of an owner',
  'console-access': () => 'open the staff console with a new second factor',
  'address-change': () => 'change the email address of a person',
};

export const auditActions = [
  'role-granted',
  'role-removed',
  'role-invited',
  'invitation-withdrawn',
  'claim-read',
  'claim-confirmed',
  'claim-rejected',
  'claim-question-asked',
  'claim-document-opened',
  'claim-reopened',
  'dispute-reopened',
  'report-reopened',
  'correction-reopened',
  'change-reopened',
  'change-read',
  'dispute-read',
  'report-read',
  'correction-read',
  'class-read',
  'entry-read',
  'dispute-kept',
  'dispute-transferred',
  'confirmation-withdrawn',
  'impostor-cleared',
  'change-accepted',
  'change-refused',
  'report-closed',
  'photo-hidden',
  'photo-taken-down',
  'photo-restored',
  'profile-hidden',
  'profile-restored',
  'account-suspended',
  'account-restored',
  'correction-proposed',
  'correction-accepted',
  'correction-refused',
  'person-file-read',
  'person-viewed',
  'sessions-ended',
  'second-factor-removed',
  'address-changed',
  'mail-repeated',
  'account-deleted',
  'people-exported',
  'export-downloaded',
  'roster-changes-read',
  'roster-applied',
  'roster-undone',
  'codes-printed',
  'announcement-scheduled',
  'announcement-sent',
  'announcement-stopped',
  'invitations-sent',
  'call-list-downloaded',
  'employers-merged',
  'employers-separated',
  'tracer-downloaded',
  'approval-requested',
  'approval-approved',
  'approval-refused',
  'approval-cancelled',
  'request-run-without-approval',
  'request-failed',
] as const;
export type AuditAction = (typeof auditActions)[number];

const auditSubjectKinds = [
  'account',
  'claim',
  'dispute',
  'report',
  'correction',
  'change',
  'photo',
  'roster-import',
  'roster-entry',
  'class',
  'announcement',
  'approval',
  'export',
  'invitation',
  'employer',
  'tracer',
] as const;
export type AuditSubjectKind = (typeof auditSubjectKinds)[number];

export const reviewKinds = ['claim', 'dispute', 'report', 'correction', 'change'] as const;
export type ReviewKind = (typeof reviewKinds)[number];

export const itemStates = ['open', 'decided'] as const;
export type ItemState = (typeof itemStates)[number];

/**
 * Outcomes of a report. `hide` hides until it is restored; `take-down` deletes a photo after 30 days; `suspend` is for
 * 7 days.
 */
export const reportOutcomes = ['nothing', 'hide', 'take-down', 'suspend'] as const;
export type ReportOutcome = (typeof reportOutcomes)[number];

export const undoSeconds = 30;

export const maxDecidedTogether = 50;

/** Minutes for which an opened item is held, and in which the audit log has one record of repeated reads. */
export const leaseMinutes = 15;

/**
 * Why a claim is pending. `disputed`: the account lost its entry to another account. `rejected`: claims again after a
 * rejection. `contested`: has evidence that confirms no one without staff: another account holds the entry, or the
 * profile does not agree with it.
 * `vouched`: members have answered. `agrees`: number, birth date, names and class are those of exactly one free entry.
 * `not-found`: nothing confirmed the claim so far.
 */
export const claimReasons = ['disputed', 'rejected', 'contested', 'vouched', 'agrees', 'not-found'] as const;

/**
 * Why a dispute is pending. `mailbox`: reported from the address of the entry. `import`, `undo`, `correction`: an
 * import, the undo of one, or a correction changed the name or birth date of an entry that a member is confirmed as.
 */
export const disputeReasons = ['two-accounts', 'mailbox', 'import', 'undo', 'correction'] as const;

import type { EvidenceKind } from '#contract/membership.ts';
import type { StaffScope } from '#contract/staff/scope.ts';
import type { StaffRole } from '#contract/staff/values.ts';

export const roleNames: Record<StaffRole, string> = {
  owner: 'Owner',
  registrar: 'Registrar',
  moderator: 'Moderator',
  'class-representative': 'Class representative',
};

export const evidenceNames: Record<EvidenceKind, string> = {
  'printed-code': 'Printed code',
  'roster-email': 'Roster email',
  'staff-review': 'Staff review',
  'campus-sign-on': 'Campus sign-on',
  'knowledge-match': 'Details match the roster (earlier rule)',
  'peer-vouch': 'Vouched for by classmates',
};

export function formatScope({ college, department, yearFrom, yearTo }: StaffScope): string {
  if (college !== null) return college;
  if (department === null) return 'Whole institution';
  return `${department}, ${yearFrom === yearTo ? yearFrom : `${yearFrom} to ${yearTo}`}`;
}

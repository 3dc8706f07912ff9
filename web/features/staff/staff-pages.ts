import type { StaffPageDefinition } from './define-page.ts';

/**
 * The pages of the staff console by the first part of their path, in the order of the navigation. `/staff` opens the
 * first one.
 */
export const staffPages: Readonly<Record<string, StaffPageDefinition>> = {
  review: { title: 'Review queue', right: ['claims', 'reports', 'corrections'], group: 'Review', hasPanes: true },
  reports: { title: 'Decided reports', right: 'reports', group: 'Review' },
  people: { title: 'People', right: 'people', group: 'People' },
  employers: { title: 'Employers', right: 'employers', group: 'People' },
  roster: { title: 'Roster imports', right: 'roster', group: 'Roster' },
  codes: { title: 'Printed codes', right: 'roster', group: 'Roster' },
  coverage: { title: 'Coverage', right: 'coverage', group: 'Roster' },
  tracer: { title: 'Tracer report', right: 'tracer', group: 'Roster' },
  invitations: { title: 'Invitations', right: 'invitations', group: 'Roster' },
  announcements: { title: 'Announcements', right: 'announcements', group: 'Office' },
  approvals: { title: 'Approvals', right: 'cancel-approvals', group: 'Office' },
  roles: { title: 'Roles', right: 'roles', group: 'Office' },
  'audit-log': { title: 'Audit log', right: 'audit-log', group: 'Office' },
  'first-steps': { title: 'First steps', right: 'roles', group: 'Office' },
};

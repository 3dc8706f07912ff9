import { CoveragePage, loadCoverage } from './coverage/coverage-page.tsx';
import { type StaffPageDefinition, definePage } from './define-page.ts';
import { AnnouncementsPage, loadAnnouncements } from './announcements/announcements-page.tsx';
import { ApprovalsPage, loadApprovals } from './office/approvals-page.tsx';
import { AuditPage, loadAuditLog } from './office/audit-page.tsx';
import { FirstStepsPage, loadFirstSteps } from './office/first-steps-page.tsx';
import { RolesPage, loadRoles } from './office/roles-page.tsx';
import { PeoplePage, loadPeople } from './people/people-page.tsx';
import { ReportsPage, loadReports } from './reports/reports-page.tsx';
import { reviewPage } from './review/review-queue.ts';
import { CodesPage, loadCodes } from './roster/codes-page.tsx';
import { RosterPage, loadRoster } from './roster/roster-page.tsx';

/**
 * The pages of the staff console by the first part of their path, in the order of the navigation. `/staff` opens the
 * first one.
 */
export const staffPages: Readonly<Record<string, StaffPageDefinition<unknown>>> = {
  review: reviewPage,
  reports: definePage({
    title: 'Decided reports',
    right: 'reports',
    group: 'Review',
    load: loadReports,
    Component: ReportsPage,
  }),
  people: definePage({
    title: 'People',
    right: 'people',
    group: 'People',
    load: loadPeople,
    Component: PeoplePage,
  }),
  roster: definePage({
    title: 'Roster imports',
    right: 'roster',
    group: 'Roster',
    load: loadRoster,
    Component: RosterPage,
  }),
  codes: definePage({
    title: 'Printed codes',
    right: 'roster',
    group: 'Roster',
    load: loadCodes,
    Component: CodesPage,
  }),
  coverage: definePage({
    title: 'Coverage',
    right: 'coverage',
    group: 'Roster',
    load: loadCoverage,
    Component: CoveragePage,
  }),
  announcements: definePage({
    title: 'Announcements',
    right: 'announcements',
    group: 'Office',
    load: loadAnnouncements,
    Component: AnnouncementsPage,
  }),
  approvals: definePage({
    title: 'Approvals',
    right: 'cancel-approvals',
    group: 'Office',
    load: loadApprovals,
    Component: ApprovalsPage,
  }),
  roles: definePage({ title: 'Roles', right: 'roles', group: 'Office', load: loadRoles, Component: RolesPage }),
  'audit-log': definePage({
    title: 'Audit log',
    right: 'audit-log',
    group: 'Office',
    load: loadAuditLog,
    Component: AuditPage,
  }),
  'first-steps': definePage({
    title: 'First steps',
    right: 'roles',
    group: 'Office',
    load: loadFirstSteps,
    Component: FirstStepsPage,
  }),
};

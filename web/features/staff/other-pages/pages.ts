import { AnnouncementsPage, loadAnnouncements } from '../announcements/announcements-page.tsx';
import { EmployersPage, loadEmployers } from '../careers/employers-page.tsx';
import { definePage } from '../define-page.ts';
import { InvitationsPage, loadInvitations } from '../invitations/invitations-page.tsx';
import { ApprovalsPage, loadApprovals } from '../office/approvals-page.tsx';
import { AuditPage, loadAuditLog } from '../office/audit-page.tsx';
import { FirstStepsPage } from '../office/first-steps-page.tsx';
import { loadFirstSteps } from '../office/first-steps.ts';
import { RolesPage, loadRoles } from '../office/roles-page.tsx';
import { PeoplePage, loadPeople } from '../people/people-page.tsx';
import { ReportsPage, loadReports } from '../reports/reports-page.tsx';

definePage('reports', { load: loadReports, Component: ReportsPage });
definePage('people', { load: loadPeople, Component: PeoplePage });
definePage('employers', { load: loadEmployers, Component: EmployersPage });
definePage('announcements', { load: loadAnnouncements, Component: AnnouncementsPage });
definePage('invitations', { load: loadInvitations, Component: InvitationsPage });
definePage('approvals', { load: loadApprovals, Component: ApprovalsPage });
definePage('roles', { load: loadRoles, Component: RolesPage });
definePage('audit-log', { load: loadAuditLog, Component: AuditPage });
definePage('first-steps', { load: loadFirstSteps, Component: FirstStepsPage });

export { StaffPage } from '../staff-frame.tsx';
export { staffLoader } from '../staff-loader.ts';

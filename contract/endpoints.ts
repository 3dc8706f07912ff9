import { browserErrorEndpoints } from './browser-errors.ts';
import { careerEndpoints } from './careers.ts';
import { campusEndpoints } from './campus.ts';
import { contactEndpoints } from './contact.ts';
import { directoryEndpoints } from './directory.ts';
import { galleryEndpoints } from './gallery.ts';
import { identityEndpoints } from './identity.ts';
import { membershipEndpoints } from './membership.ts';
import { myDataEndpoints } from './my-data.ts';
import { notificationEndpoints } from './notifications.ts';
import { profileEndpoints } from './profile.ts';
import { reportEndpoints } from './reports.ts';
import { rosterEndpoints } from './roster.ts';
import { searchEndpoints } from './search.ts';
import { secondFactorEndpoints } from './second-factor.ts';
import { staffCareerEndpoints } from './staff/careers.ts';
import { staffClaimEndpoints } from './staff/claims.ts';
import { staffHistoryEndpoints } from './staff/history.ts';
import { staffReportEndpoints } from './staff/reports.ts';
import { staffReviewEndpoints } from './staff/review.ts';
import { staffAnnouncementEndpoints } from './staff/announcements.ts';
import { staffApprovalEndpoints } from './staff/approvals.ts';
import { staffAuditEndpoints } from './staff/audit.ts';
import { staffRoleEndpoints } from './staff/roles.ts';
import { staffAccountEndpoints } from './staff/accounts.ts';
import { staffExportEndpoints } from './staff/exports.ts';
import { staffCodeEndpoints } from './staff/codes.ts';
import { staffCorrectionEndpoints } from './staff/corrections.ts';
import { staffCoverageEndpoints } from './staff/coverage.ts';
import { staffEntryEndpoints } from './staff/entries.ts';
import { staffInvitationEndpoints } from './staff/invitations.ts';
import { staffEndpoints } from './staff/scope.ts';
import { staffPeopleEndpoints } from './staff/people.ts';

export const endpoints = {
  ...identityEndpoints,
  ...secondFactorEndpoints,
  ...campusEndpoints,
  ...directoryEndpoints,
  ...profileEndpoints,
  ...careerEndpoints,
  ...searchEndpoints,
  ...galleryEndpoints,
  ...notificationEndpoints,
  ...membershipEndpoints,
  ...myDataEndpoints,
  ...contactEndpoints,
  ...reportEndpoints,
  ...browserErrorEndpoints,
  ...rosterEndpoints,
  ...staffEndpoints,
  ...staffCareerEndpoints,
  ...staffCoverageEndpoints,
  ...staffCorrectionEndpoints,
  ...staffCodeEndpoints,
  ...staffEntryEndpoints,
  ...staffInvitationEndpoints,
  ...staffRoleEndpoints,
  ...staffApprovalEndpoints,
  ...staffAuditEndpoints,
  ...staffReviewEndpoints,
  ...staffClaimEndpoints,
  ...staffHistoryEndpoints,
  ...staffReportEndpoints,
  ...staffPeopleEndpoints,
  ...staffAnnouncementEndpoints,
  ...staffExportEndpoints,
  ...staffAccountEndpoints,
};
export type Endpoints = typeof endpoints;

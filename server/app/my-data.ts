import type { CollectMyData } from '#server/domain/my-data.ts';
import { collectAnnouncementData } from '#server/features/announcements/my-data.ts';
import { collectContactData } from '#server/features/contact/my-data.ts';
import { collectGalleryData } from '#server/features/gallery/my-data.ts';
import { collectIdentityData } from '#server/features/identity/my-data.ts';
import { collectMembershipData } from '#server/features/membership/my-data.ts';
import { collectNotificationData } from '#server/features/notifications/my-data.ts';
import { collectProfileData } from '#server/features/profile/my-data.ts';
import { collectReportData } from '#server/features/reports/my-data.ts';
import { collectReviewNotes } from '#server/features/review/my-data.ts';
import { collectCorrections } from '#server/features/roster/my-data.ts';
import { collectStaffLooks } from '#server/features/staff-people/my-data.ts';

export const allMyData: readonly CollectMyData[] = [
  collectProfileData,
  collectGalleryData,
  collectIdentityData,
  collectContactData,
  collectAnnouncementData,
  collectMembershipData,
  collectNotificationData,
  collectReportData,
  collectStaffLooks,
  collectReviewNotes,
  collectCorrections,
];

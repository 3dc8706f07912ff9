import type { CollectMyData } from './domain/my-data.ts';
import { collectAnnouncementData } from './features/announcements/my-data.ts';
import { collectContactData } from './features/contact/my-data.ts';
import { collectGalleryData } from './features/gallery/my-data.ts';
import { collectIdentityData } from './features/identity/my-data.ts';
import { collectMembershipData } from './features/membership/my-data.ts';
import { collectNotificationData } from './features/notifications/my-data.ts';
import { collectProfileData } from './features/profile/my-data.ts';
import { collectReportData } from './features/reports/my-data.ts';
import { collectReviewNotes } from './features/review/my-data.ts';
import { collectCorrections } from './features/roster/my-data.ts';
import { collectStaffLooks } from './features/staff-people/my-data.ts';

/** Collectors of the personal data export, one per feature that stores personal data. */
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

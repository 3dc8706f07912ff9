import type { CollectMyData } from './domain/my-data.ts';
import { contactData } from './features/contact/my-data.ts';
import { galleryData } from './features/gallery/my-data.ts';
import { identityData } from './features/identity/my-data.ts';
import { notificationData } from './features/notifications/my-data.ts';
import { profileData } from './features/profile/my-data.ts';
import { reportData } from './features/reports/my-data.ts';

/** Everything that the archive holds about somebody, a line for each feature that holds something. */
export const allMyData: readonly CollectMyData[] = [
  profileData,
  galleryData,
  identityData,
  contactData,
  notificationData,
  reportData,
];

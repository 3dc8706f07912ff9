/** The pages of this feature, in one chunk. */
export { notificationLoader } from './notification-data.ts';
export { NotificationPage } from './notification-page.tsx';

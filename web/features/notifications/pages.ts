/** The pages of this feature, which travel together. */
export { notificationLoader } from './notification-data.ts';
export { NotificationPage } from './notification-page.tsx';

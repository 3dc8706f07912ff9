export { notificationLoader } from './notification-data.ts';
export { NotificationPage } from './notification-page.tsx';

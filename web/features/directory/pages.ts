/** The pages of this feature, in one chunk: a visitor who opens one of them usually opens another one soon. */
export { DashboardPage } from './dashboard-page.tsx';

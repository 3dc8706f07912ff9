/** The pages of this feature, which travel together: who opens one soon needs another. */
export { DashboardPage } from './dashboard-page.tsx';

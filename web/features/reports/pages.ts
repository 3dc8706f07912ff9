import { loadAllStyles } from '#web/platform/styles.ts';

export { ConfirmReportPage } from './confirm-report-page.tsx';
export { ReportContentPage, reportContentLoader } from './report-content-page.tsx';
export { ReportPage } from './report-page.tsx';

await loadAllStyles();

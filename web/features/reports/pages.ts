export { ConfirmReportPage } from './confirm-report-page.tsx';
export { ReportContentPage, reportContentLoader } from './report-content-page.tsx';
export { ReportPage } from './report-page.tsx';

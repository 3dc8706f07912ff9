import { loadAllStyles } from '../../platform/styles.ts';

export { ReportPage } from './report-page.tsx';

await loadAllStyles();

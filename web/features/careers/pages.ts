export { careersLoader } from './careers-data.ts';
export { CareersPage } from './careers-page.tsx';

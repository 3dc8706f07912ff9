export { StaffPage } from './staff-frame.tsx';
export { shouldStaffPageLoad, staffLoader } from './staff-loader.ts';

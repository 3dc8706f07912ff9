export { StaffPage } from './staff-frame.tsx';
export { staffLoader } from './staff-loader.ts';

export { ClassPage } from './class-page.tsx';
export { classLoader } from './class-data.ts';

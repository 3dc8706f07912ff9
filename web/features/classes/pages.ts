/** The pages of this feature, in one chunk: a visitor who opens one of them usually opens another one soon. */
export { ClassPage } from './class-page.tsx';
export { classLoader } from './class-data.ts';

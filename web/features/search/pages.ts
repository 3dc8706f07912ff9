/** The pages of this feature, which travel together. */
export { searchLoader } from './search-data.ts';
export { SearchPage } from './search-page.tsx';

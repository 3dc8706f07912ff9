/** The pages of this feature, in one chunk. */
export { searchLoader } from './search-data.ts';
export { SearchPage } from './search-page.tsx';

export { searchLoader } from './search-data.ts';
export { SearchPage } from './search-page.tsx';

/** The pages of this feature, which travel together. */
export { SearchPage } from './search-page.tsx';

/** The pages of this feature, in one chunk. */
export { HandbookPage, handbookLoader } from './handbook-page.tsx';

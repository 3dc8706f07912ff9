export { HandbookPage, handbookLoader } from './handbook-page.tsx';

/** The pages of this feature, which travel together. */
export { GalleryPage } from './gallery-page.tsx';

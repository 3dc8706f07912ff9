/** The pages of this feature, which travel together. */
export { galleryLoader } from './gallery-data.ts';
export { GalleryPage } from './gallery-page.tsx';

/** The pages of this feature, in one chunk. */
export { galleryLoader, shouldRevalidate } from './gallery-data.ts';
export { GalleryPage } from './gallery-page.tsx';

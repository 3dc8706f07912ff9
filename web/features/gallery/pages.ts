export { galleryLoader, shouldRevalidate } from './gallery-data.ts';
export { GalleryPage } from './gallery-page.tsx';

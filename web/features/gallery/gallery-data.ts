import { type LoaderFunctionArgs, type ShouldRevalidateFunction, data } from 'react-router';
import type { Album, PhotoPage } from '#contract/gallery.ts';
import { problemOf } from '#web/platform/api.ts';
import { loaderServices } from '#web/platform/loader-services.ts';
import { throwNotFound } from '#web/platform/route-errors.ts';

export interface GalleryData {
  readonly album: string | null;
  readonly albums: readonly Album[];
  readonly first: PhotoPage | null;
}

export async function galleryLoader({ request, context }: LoaderFunctionArgs) {
  const { call } = context.get(loaderServices);
  const album = new URL(request.url).searchParams.get('album');
  try {
    const [first, { albums }] = await Promise.all([
      call('GET /api/gallery/photos', { query: { album: album ?? undefined } }),
      call('GET /api/gallery/albums'),
    ]);
    return { album, albums, first } satisfies GalleryData;
  } catch (error) {
    // The server rejected the album as invalid, so no such album exists.
    if (problemOf(error).status === 400) return throwNotFound();
    return data<GalleryData>({ album, albums: [], first: null }, { status: 503 });
  }
}

/** Prevents reloading when only the URL hash changes, that is, when a photo is opened or closed. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ currentUrl, nextUrl, defaultShouldRevalidate }) =>
  currentUrl.hash === nextUrl.hash && defaultShouldRevalidate;

import { type LoaderFunctionArgs, type ShouldRevalidateFunction, data } from 'react-router';
import type { Album, PhotoPage } from '#contract/gallery.ts';
import { problemOf } from '../../platform/api.ts';
import { access } from '../../platform/context.ts';
import { missing } from '../../platform/missing.ts';

export interface GalleryData {
  /** The album in the address, or null for all of them. */
  readonly album: string | null;
  readonly albums: readonly Album[];
  /** Null when the photos did not come. */
  readonly first: PhotoPage | null;
}

export async function galleryLoader({ request, context }: LoaderFunctionArgs) {
  const { call } = context.get(access);
  const album = new URL(request.url).searchParams.get('album');
  try {
    const [first, { albums }] = await Promise.all([
      call('GET /api/gallery/photos', { query: { album: album ?? undefined } }),
      call('GET /api/gallery/albums'),
    ]);
    return { album, albums, first } satisfies GalleryData;
  } catch (error) {
    // What the server takes for no title of an album is none that anybody has written.
    if (problemOf(error).status === 400) return missing();
    return data<GalleryData>({ album, albums: [], first: null }, { status: 503 });
  }
}

/** A photo that opens or closes changes the part of the address that is no question to the server. */
export const shouldRevalidate: ShouldRevalidateFunction = ({ currentUrl, nextUrl, defaultShouldRevalidate }) =>
  currentUrl.hash === nextUrl.hash && defaultShouldRevalidate;

import { useState } from 'react';
import { Link, useLoaderData, useRevalidator } from 'react-router';
import type { PhotoPage } from '#contract/gallery.ts';
import { useDraft } from '#web/domain/drafts.ts';
import { messageOf } from '#web/domain/messages.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { distinctById, usePages } from '#web/platform/use-pages.ts';
import { Button } from '#web/ui/button.tsx';
import { Drawing } from '#web/ui/drawing.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { MoreButton } from '#web/ui/more-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { toast } from '#web/ui/toasts.ts';
import type { GalleryData } from './gallery-data.ts';
import { PhotoGrid, getElementId } from './photo-grid.tsx';
import { type Picture, pictureFromPhoto, pictureFromSample } from './picture.ts';
import { sampleAlbum, samplePhotos } from './samples.ts';
import { VideoGrid } from './video-grid.tsx';

/** Members' photos come first, then the samples (specification, section 2; D12 in docs/conformance.md). */
export function GalleryPage() {
  const user = useUser();
  // Another user must not see photos that only the previous user may see, so the state is reset.
  return <Gallery key={user?.uid ?? 'guest'} user={user} />;
}

function Gallery({ user }: { user: ReturnType<typeof useUser> }) {
  const { album, albums, first } = useLoaderData<GalleryData>();
  const { revalidate } = useRevalidator();
  const addDialog = useLazyComponent(() => import('./add-photos.tsx'));
  // Opens the dialog if a draft exists. The dialog restores the values itself.
  useDraft('photos', addDialog.open);
  return (
    <div className="page">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-bold lg:text-2xl">Gallery</h1>
        {isMember(user) ? (
          <Button onClick={addDialog.open}>
            <Icon name="image-plus" />
            Add photos
          </Button>
        ) : (
          !user && (
            <Link className="link" to={withParam(paths.login, 'from', paths.gallery)}>
              Sign in to add photos
            </Link>
          )
        )}
      </div>
      <section aria-labelledby="photos" className="@container">
        <h2 id="photos" tabIndex={-1} className="mb-3 text-lg font-bold">
          Photos
        </h2>
        <Albums albums={albums} current={album} />
        {/* The key resets the loaded pages when the album changes. */}
        <Photos key={album} first={first} album={album} />
      </section>
      {(album === null || album === sampleAlbum.key) && <VideoGrid />}
      {addDialog.Part && (
        <addDialog.Part
          albums={albums.map(({ title }) => title)}
          album={albums.find(({ key }) => key === album)?.title ?? ''}
          onClose={addDialog.close}
          onAdded={() => void revalidate()}
        />
      )}
    </div>
  );
}

function Albums({ albums, current }: { albums: GalleryData['albums']; current: string | null }) {
  if (albums.length === 0) return null;
  const shown = albums.some(({ key }) => key === sampleAlbum.key) ? albums : [...albums, sampleAlbum];
  const choices = [{ key: null, title: 'All' }, ...shown];
  return (
    <nav
      aria-label="Albums"
      className="-mx-4 mb-3 flex gap-1 overflow-x-auto px-4 py-1 text-sm lg:-mx-3 lg:flex-wrap lg:px-0"
    >
      {choices.map(({ key, title }) => (
        <Link
          key={key}
          to={key === null ? paths.gallery : withParam(paths.gallery, 'album', key)}
          aria-current={key === current ? 'page' : undefined}
          className="flex min-h-11 max-w-60 shrink-0 items-center rounded-full px-3 text-ink-soft hover:bg-wash hover:text-ink aria-[current=page]:bg-wash aria-[current=page]:font-semibold aria-[current=page]:text-ink"
        >
          <span className="truncate">{title}</span>
        </Link>
      ))}
    </nav>
  );
}

function Photos({ first, album }: { first: PhotoPage | null; album: string | null }) {
  const { revalidate, state } = useRevalidator();
  const [pages, addPage] = usePages(first);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [pictureToRemove, setPictureToRemove] = useState<Picture | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);

  const focusLater = useFocusLater();
  const photos = distinctById(pages.flatMap((page) => page?.items ?? []));
  const next = pages.at(-1)?.next ?? null;
  const isEnd = next === null && (album === null || album === sampleAlbum.key);
  const pictures = [
    ...photos.filter(({ id }) => !removed.has(id)).map(pictureFromPhoto),
    ...(isEnd ? samplePhotos.map(pictureFromSample) : []),
  ];

  async function showMore(after: string) {
    setIsBusy(true);
    setHasFailed(false);
    try {
      const page = await callApi('GET /api/gallery/photos', { query: { album: album ?? undefined, after } });
      const [firstNew] = page.items;
      if (firstNew) focusLater(`[id="${getElementId(pictureFromPhoto(firstNew))}"]`);
      addPage(page);
    } catch {
      setHasFailed(true);
    } finally {
      setIsBusy(false);
    }
  }

  /** Removes a photo that the user no longer sees, and focuses its neighbour. */
  function withdraw(key: string) {
    setRemoved((now) => new Set([...now, key]));
    const index = pictures.findIndex((picture) => picture.key === key);
    const neighbour = pictures[index + 1] ?? pictures[index - 1];
    focusLater(neighbour ? `[id="${getElementId(neighbour)}"]` : '#photos');
    // An album disappears with its last photo.
    void revalidate();
  }

  async function remove(id: string) {
    setIsBusy(true);
    try {
      await callApi('DELETE /api/gallery/photos/{id}', { params: { id } });
      withdraw(id);
      toast('success', 'Photo removed');
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    } finally {
      setIsBusy(false);
      setPictureToRemove(null);
    }
  }

  return (
    <>
      {first === null && <FetchFailure busy={state === 'loading'} onRetry={() => void revalidate()} />}
      {pictures.length === 0 && first !== null && (
        <div className="grid justify-items-start gap-3 py-6">
          <Drawing name="rock" />
          <p>There are no photos in this album that you can see.</p>
          <Link className="link" to={paths.gallery}>
            See all photos
          </Link>
        </div>
      )}
      <PhotoGrid pictures={pictures} onRemove={setPictureToRemove} onHidden={({ key }) => withdraw(key)} />
      <div className="grid justify-items-center py-6 empty:hidden">
        {hasFailed && next !== null && <FetchFailure onRetry={() => void showMore(next)} />}
        {!hasFailed && next !== null && (
          <MoreButton busy={isBusy} onMore={() => void showMore(next)}>
            Show more
          </MoreButton>
        )}
      </div>
      {pictureToRemove?.ownId && (
        <Dialog onClose={() => setPictureToRemove(null)} title="Remove this photo?">
          <p className="wrap-anywhere">{pictureToRemove.title}</p>
          <div className="flex flex-wrap justify-end gap-3">
            <Button look="quiet" onClick={() => setPictureToRemove(null)}>
              Keep it
            </Button>
            <Button
              look="danger"
              busy={isBusy && 'Removing...'}
              onClick={() => void remove(pictureToRemove.ownId ?? '')}
            >
              Yes, remove it
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

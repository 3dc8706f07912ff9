import { useState } from 'react';
import { Link, useLoaderData, useRevalidator } from 'react-router';
import type { PhotoPage } from '#contract/gallery.ts';
import { useDraft } from '#web/domain/drafts.ts';
import { useAction } from '#web/domain/use-action.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { isMember, useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { useLazyComponent } from '#web/ui/use-lazy-component.ts';
import { distinctById, usePages } from '#web/platform/use-pages.ts';
import { Button, ButtonLink } from '#web/ui/button.tsx';
import { Drawing } from '#web/ui/drawing.tsx';
import { Dialog } from '#web/ui/dialog.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import { MoreButton } from '#web/ui/more-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { toast } from '#web/ui/toasts.ts';
import type { GalleryData } from './gallery-data.ts';
import { PhotoGrid, getElementId } from './photo-grid.tsx';
import { type Picture, pictureFromPhoto, pictureFromSample } from './picture.ts';
import { samplePhotos } from './samples.ts';
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
  // The button is then below the drawing.
  const isEmpty = album === null && first?.items.length === 0;
  const openAlbum = albums.find(({ key }) => key === album);
  return (
    <div className="page">
      {/* A button is taller than the title, and must not move it. */}
      <div className="mb-4 flex flex-wrap items-center justify-between gap-x-6 gap-y-4 lg:mb-6 [&>:not(h1)]:-my-2">
        <h1 className="text-xl font-bold lg:text-2xl">Gallery</h1>
        {!isEmpty && isMember(user) && (
          <Button onClick={addDialog.open}>
            <Icon name="image-plus" />
            Add photos
          </Button>
        )}
        {!isEmpty && !user && (
          <Link className="link" to={withParam(paths.login, 'from', paths.gallery)}>
            Sign in to add photos
          </Link>
        )}
      </div>
      {album === null ? (
        <Albums albums={albums} />
      ) : (
        <Link to={paths.gallery} className="-ml-1 inline-flex min-h-11 items-center px-1">
          <span aria-hidden="true">←&nbsp;</span>
          <span className="link">All photos</span>
        </Link>
      )}
      <section aria-labelledby="photos" className="@container">
        <h2
          id="photos"
          tabIndex={-1}
          // Years are headings enough.
          className={openAlbum ? 'mb-3 text-lg font-bold wrap-break-word lg:text-xl' : 'sr-only'}
        >
          {/* The page is about one album then. */}
          <span className={openAlbum ? 'sr-only' : ''}>Photos</span>
          {openAlbum && <span>{` ${openAlbum.title}`}</span>}
        </h2>
        {isEmpty && <NoPhotosYet onAdd={addDialog.open} />}
        {/* The key resets the loaded pages when the album changes. */}
        <Photos key={album} first={first} album={album} />
      </section>
      {album === null && <VideoGrid />}
      {addDialog.Part && (
        <addDialog.Part
          albums={albums.map(({ title }) => title)}
          album={openAlbum?.title ?? ''}
          onClose={addDialog.close}
          onAdded={() => void revalidate()}
        />
      )}
    </div>
  );
}

function Albums({ albums }: { albums: GalleryData['albums'] }) {
  // A single album offers no choice.
  if (albums.length < 2) return null;
  return (
    <nav aria-label="Albums" className="mb-8 grid gap-3">
      <h2 className="text-lg font-bold lg:text-xl">Albums</h2>
      <ul className="-mx-4 flex gap-3 overflow-x-auto px-4 py-1 lg:-mx-1 lg:flex-wrap lg:px-1">
        {albums.map(({ key, title, photos, cover }) => (
          <li key={key} className="w-36 shrink-0 lg:w-48">
            <Link to={withParam(paths.gallery, 'album', key)} className="group block print-shape">
              <img
                src={cover}
                alt=""
                width={480}
                height={360}
                loading="lazy"
                className="aspect-[4/3] w-full bg-line object-cover object-[50%_25%] print-shape"
              />
              <span className="line-clamp-2 pt-1.5 text-sm leading-snug font-semibold wrap-break-word group-hover:text-brand group-hover:underline">
                {title}
              </span>{' '}
              <span className="text-sm nums text-ink-soft">{photos === 1 ? '1 photo' : `${photos} photos`}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Photos that the viewer must not see may exist, so only members read that there are none. */
function NoPhotosYet({ onAdd }: { onAdd: () => void }) {
  const user = useUser();
  if (isMember(user))
    return (
      <EmptyState drawing="gown" title="No class photos yet" action={<Button onClick={onAdd}>Add photos</Button>}>
        Photos from your time here help others to find their class.
      </EmptyState>
    );
  return (
    <EmptyState
      drawing="gown"
      title="No class photos are visible to you yet"
      action={
        user ? undefined : (
          <>
            <ButtonLink to={paths.signUp}>Sign up</ButtonLink>
            <span className="ml-3">or </span>
            <Link className="link inline-flex min-h-11 items-center" to={withParam(paths.login, 'from', paths.gallery)}>
              sign in
            </Link>
          </>
        )
      }
    >
      Members add photos of their class, and choose who sees them.
    </EmptyState>
  );
}

function Photos({ first, album }: { first: PhotoPage | null; album: string | null }) {
  const { revalidate, state } = useRevalidator();
  const [pages, addPage] = usePages(first);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const [pictureToRemove, setPictureToRemove] = useState<Picture | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const removal = useAction();

  const focusLater = useFocusLater();
  const photos = distinctById(pages.flatMap((page) => page?.items ?? []));
  const next = pages.at(-1)?.next ?? null;
  const isEnd = next === null && album === null;
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

  function withdraw(key: string) {
    setRemoved((now) => new Set([...now, key]));
    const index = pictures.findIndex((picture) => picture.key === key);
    const neighbour = pictures[index + 1] ?? pictures[index - 1];
    focusLater(neighbour ? `[id="${getElementId(neighbour)}"]` : '#photos');
    // An album disappears with its last photo.
    void revalidate();
  }

  async function remove(id: string) {
    await removal.run(async () => {
      await callApi('DELETE /api/gallery/photos/{id}', { params: { id } });
      withdraw(id);
      toast('success', 'Photo removed');
    });
    setPictureToRemove(null);
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
            <Button variant="quiet" onClick={() => setPictureToRemove(null)}>
              Keep it
            </Button>
            <Button
              variant="danger"
              busy={removal.isBusy && 'Removing...'}
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

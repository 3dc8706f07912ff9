import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { toPhotoViewer } from '#server/domain/people/photos.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import type { Exchange } from '#server/platform/http/set-up-http.ts';
import { addPhoto } from './add-photo.ts';
import { findAlbums, findPhotos } from './queries.ts';

export function galleryRoutes(app: FastifyInstance, context: Context): void {
  const { db, authentication } = context;
  const findViewer = async (exchange: Exchange) =>
    toPhotoViewer((await authentication.authenticate(exchange))?.account);

  mount(app, 'GET /api/gallery/photos', async ({ query: { album, after } }, exchange) =>
    findPhotos(db, await findViewer(exchange), album, after),
  );
  mount(app, 'GET /api/gallery/albums', async (_, exchange) => ({
    albums: await findAlbums(db, await findViewer(exchange)),
  }));
  mount(app, 'POST /api/gallery/photos', async ({ body }, { session }) => addPhoto(context, session, body));
  mount(app, 'DELETE /api/gallery/photos/{id}', async ({ params }, { session }) => {
    const removed = await db
      .deleteFrom('photos')
      .where('id', '=', params.id)
      .where('account_id', '=', session.account.id)
      .returning('picture')
      .executeTakeFirst();
    // Same response for a photo of another member and one that does not exist.
    if (!removed) throw new ProblemError('not-found');
    await removeUnusedPictures(context, [removed.picture]);
  });
}

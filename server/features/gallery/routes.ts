import type { FastifyInstance } from 'fastify';
import { type Principal, isMemberPrincipal } from '#server/domain/accounts/authentication.ts';
import type { Context } from '#server/domain/context.ts';
import type { PhotoViewer } from '#server/domain/people/photos.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { toListingAudience } from '#server/domain/people/visibility.ts';
import { mount } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { addPhoto } from './add-photo.ts';
import { findAlbums, findPhotos } from './queries.ts';

export function galleryRoutes(app: FastifyInstance, context: Context): void {
  const { db, authentication } = context;

  mount(app, 'GET /api/gallery/photos', async ({ query: { album, after } }, { request, reply }) =>
    findPhotos(db, toPhotoViewer(await authentication.authenticate(request, reply)), album, after),
  );
  mount(app, 'GET /api/gallery/albums', async (_, { request, reply }) => ({
    albums: await findAlbums(db, toPhotoViewer(await authentication.authenticate(request, reply))),
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

const toPhotoViewer = (principal: Principal): PhotoViewer => ({
  audience: toListingAudience(isMemberPrincipal(principal)),
  accountId: principal?.account.id ?? null,
});

import type { HandlerInput } from '#contract/endpoint.ts';
import type { Endpoints } from '#contract/endpoints.ts';
import type { Photo } from '#contract/gallery.ts';
import { maxPhotosPerAccount } from '#contract/quotas.ts';
import type { Db } from '#server/db/client.ts';
import { type MemberSession, requireMember } from '#server/domain/accounts/authentication.ts';
import type { Context } from '#server/domain/context.ts';
import { queueDepartmentDigest } from '#server/domain/people/department-digest.ts';
import { insertPhoto } from '#server/domain/people/photos.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { lockAccountOfSession } from '#server/domain/accounts/sessions.ts';
import { UnreadablePicture } from '#server/platform/media/encode-picture.ts';
import { decodeDataUrl, notAnImageProblem } from '#server/platform/media/media.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { findPhoto } from './queries.ts';

type NewPhoto = HandlerInput<Endpoints['POST /api/gallery/photos']>['body'];

/**
 * Adds a photo to an album. The picture is decoded, rotated upright and stripped of metadata, like a portrait.
 * @throws ProblemError not-an-image, auth/too-many-requests, permission-denied above the quota of photos
 */
export async function addPhoto(context: Context, session: MemberSession, photo: NewPhoto): Promise<Photo> {
  const { db, limiter, media } = context;
  await limiter.requireAttempt(db, 'photosByAccount', session.account.id);
  const image = decodeDataUrl(photo.image);
  const isPublic = photo.audience === 'everyone';
  const { name, width, height } = await media.storePhoto(image, isPublic).catch((error: unknown) => {
    throw error instanceof UnreadablePicture ? notAnImageProblem('/image', error) : error;
  });
  try {
    return await db.transaction().execute(async (tx) => {
      // The confirmation may have been withdrawn during the upload.
      const account = await lockAccountOfSession(tx, session);
      const { id: accountId } = requireMember({ ...session, account }).account;
      await requirePhotoQuota(tx, accountId);
      const id = await insertPhoto(tx, {
        account_id: accountId,
        picture: name,
        width,
        height,
        album: photo.album,
        title: photo.title,
        place: photo.place ?? null,
        taken_on: photo.takenOn ?? null,
        audience: photo.audience,
      });
      const { department } = session.user;
      if (department !== null) await queueDepartmentDigest(tx, 'photos-added', department);
      const added = await findPhoto(tx, { audience: 'members', accountId }, id);
      if (!added) throw new Error('The new photo was not found.');
      return added;
    });
  } catch (error) {
    await removeUnusedPictures(context, [name]);
    throw error;
  }
}

async function requirePhotoQuota(tx: Db, accountId: string): Promise<void> {
  const { photos } = await tx
    .selectFrom('photos')
    .select(({ fn }) => fn.countAll<number>().as('photos'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  if (photos < maxPhotosPerAccount) return;
  throw new ProblemError('permission-denied', {
    detail: `You can add at most ${maxPhotosPerAccount} photos. Delete some to add others.`,
  });
}

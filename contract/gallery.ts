import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id, PictureData, line, pastDay } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';
import { maxPictureBodyBytes } from './upload-limits.ts';

/** Audiences of a photo. The default is members, because photos often show other people. */
export const photoAudiences = ['members', 'everyone'] as const;
export type PhotoAudience = (typeof photoAudiences)[number];

/**
 * Why only the owner and staff see a photo: until staff have decided about a report, hidden by staff, or deleted in 30
 * days.
 */
export const photoModerations = ['reported', 'hidden', 'taken-down'] as const;
export type PhotoModeration = (typeof photoModerations)[number];

export const Photo = z.object({
  id: Id,
  /** Path of the preview, at most 480 pixels wide. Very long pictures are cropped to a ratio of 3 to 1. */
  thumb: z.string(),
  /** Path of the uncropped picture, at most 1440 pixels wide and high. */
  src: z.string(),
  /** Size of `src` in pixels. */
  width: z.int(),
  height: z.int(),
  title: z.string(),
  place: z.nullable(z.string()),
  /** Date on which the photo was taken, `YYYY-MM-DD`. */
  takenOn: z.nullable(z.string()),
  /** Year in which the photo was taken; without that date, in which it was added. */
  year: z.int(),
  album: z.string(),
  /** The member who added the photo; null when the caller may not see this member. */
  by: z.nullable(z.object({ id: Id, name: z.string() })),
  isOwn: z.boolean(),
  /** Only for the owner, and only if no one else sees the photo. */
  moderation: z.optional(z.enum(photoModerations)),
});
export type Photo = z.infer<typeof Photo>;

export const PhotoPage = z.object({
  items: z.array(Photo),
  next: z.nullable(z.string()),
});
export type PhotoPage = z.infer<typeof PhotoPage>;

export const Album = z.object({
  key: z.string(),
  title: z.string(),
  photos: z.int(),
  /** Path of the preview of the newest photo that the caller may see. */
  cover: z.string(),
});
export type Album = z.infer<typeof Album>;

/** An album exists as soon as it has a photo. */
export const photoFields = {
  title: line(fieldLengths.photoTitleMax),
  album: line(fieldLengths.albumMax),
  place: line(fieldLengths.lineMax),
  takenOn: pastDay('Enter a date that exists and is not in the future'),
  audience: z.enum(photoAudiences),
};

export const NewPhoto = z.strictObject({
  ...photoFields,
  place: z.optional(photoFields.place),
  takenOn: z.optional(photoFields.takenOn),
  image: PictureData,
});

export const galleryEndpoints = defineEndpoints({
  'GET /api/gallery/photos': {
    summary:
      'List photos, the latest year first and then those added last, one page at a time; only those of one album, if given',
    access: 'everyone',
    query: z.strictObject({
      album: z.optional(z.string().check(z.maxLength(4 * fieldLengths.albumMax))),
      after: z.optional(z.string().check(z.maxLength(200))),
    }),
    response: PhotoPage,
  },
  'GET /api/gallery/albums': {
    summary: 'List the albums with photos that the caller may see',
    access: 'everyone',
    response: z.object({ albums: z.array(Album) }),
  },
  'POST /api/gallery/photos': {
    summary: 'Add a photo to an album. A new album title creates the album',
    access: 'member',
    body: NewPhoto,
    maxBodyBytes: maxPictureBodyBytes,
    response: Photo,
    problems: ['not-an-image', 'insufficient-storage', 'auth/too-many-requests'],
  },
  'DELETE /api/gallery/photos/{id}': {
    summary: 'Delete one of the caller’s own photos',
    access: 'session',
    params: z.strictObject({ id: Id }),
    problems: ['not-found'],
  },
});

import * as z from 'zod/mini';
import { defineEndpoints } from './endpoint.ts';
import { Id, PictureData, line, pastDay } from './fields.ts';
import { fieldLengths } from './field-lengths.ts';
import { maxPictureBodyBytes } from './upload-limits.ts';

/** Who sees a photo: only members, unless whoever adds it says otherwise. There are other people in it. */
export const photoAudiences = ['members', 'everyone'] as const;
export type PhotoAudience = (typeof photoAudiences)[number];

export const Photo = z.object({
  id: Id,
  /** Paths of the picture: 480 by 320 pixels, cropped; and whole, at most 1440 pixels wide and high. */
  thumb: z.string(),
  src: z.string(),
  /** Of the whole one, in pixels. */
  width: z.int(),
  height: z.int(),
  title: z.string(),
  place: z.nullable(z.string()),
  /** `YYYY-MM-DD` */
  takenOn: z.nullable(z.string()),
  album: z.string(),
  /** Whoever added it, if the caller may see them. */
  by: z.nullable(z.object({ id: Id, name: z.string() })),
  isOwn: z.boolean(),
});
export type Photo = z.infer<typeof Photo>;

export const PhotoPage = z.object({
  items: z.array(Photo),
  /** Hand it over as `after` to get the next page; null at the end. */
  next: z.nullable(z.string()),
});
export type PhotoPage = z.infer<typeof PhotoPage>;

export const Album = z.object({ key: z.string(), title: z.string(), photos: z.int() });
export type Album = z.infer<typeof Album>;

/** What is said of a photo. An album is there as soon as a photo is in it. */
export const photoFields = {
  title: line(fieldLengths.photoTitleMax),
  album: line(fieldLengths.albumMax),
  place: line(fieldLengths.lineMax),
  takenOn: pastDay('Choose a day that has been'),
  audience: z.enum(photoAudiences),
};

/** A photo as somebody adds it. */
export const NewPhoto = z.strictObject({
  ...photoFields,
  place: z.optional(photoFields.place),
  takenOn: z.optional(photoFields.takenOn),
  image: PictureData,
});

export const galleryEndpoints = defineEndpoints({
  'GET /api/gallery/photos': {
    summary: 'A page of photos that the caller may see, the newest first; of one album, if it is named',
    query: z.strictObject({
      album: z.optional(z.string().check(z.maxLength(4 * fieldLengths.albumMax))),
      after: z.optional(z.string().check(z.maxLength(200))),
    }),
    response: PhotoPage,
  },
  'GET /api/gallery/albums': {
    summary: 'The albums with photos that the caller may see',
    response: z.object({ albums: z.array(Album) }),
  },
  'POST /api/gallery/photos': {
    summary: 'Add a photo to an album; a title that no album has begins a new one',
    body: NewPhoto,
    maxBodyBytes: maxPictureBodyBytes,
    response: Photo,
    problems: [
      'auth/unauthenticated',
      'auth/unverified-email',
      'permission-denied',
      'not-an-image',
      'insufficient-storage',
      'auth/too-many-requests',
    ],
  },
  'DELETE /api/gallery/photos/{id}': {
    summary: 'Remove a photo of one’s own',
    params: z.strictObject({ id: Id }),
    problems: ['auth/unauthenticated', 'not-found'],
  },
});

import type { PictureSizes } from '#server/platform/media/encode-picture.ts';

export const pictureSizes = {
  portrait: { widths: [96, 192, 384], heightPerWidth: 5 / 4 },
  photo: { thumbnailWidth: 480, maxLength: 1440 },
} as const satisfies PictureSizes;

const { portrait, photo } = pictureSizes;
type PictureSize = (typeof portrait.widths)[number] | typeof photo.thumbnailWidth | typeof photo.maxLength;

/** The content at a path never changes. */
export const picturePath = (name: string, size: PictureSize): string => `/media/${name}/${size}.webp`;

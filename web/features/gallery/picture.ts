import type { Photo, PhotoModeration } from '#contract/gallery.ts';
import { formatDate } from '#web/ui/day.tsx';
import { sampleAlbumTitle, type samplePhotos } from './samples.ts';

export interface Picture {
  readonly key: string;
  readonly thumb: string;
  readonly src: string;
  readonly width: number;
  readonly height: number;
  readonly title: string;
  /** The year under which it is filed. Null for samples. */
  readonly year: number | null;
  readonly about: readonly string[];
  readonly by: Photo['by'];
  /** Null unless the photo belongs to the viewer, who can then remove it. */
  readonly ownId: string | null;
  /** Null unless the photo is another person's, which the viewer can report. */
  readonly reportId: string | null;
  /** Why no one else sees the viewer's own photo. */
  readonly moderation?: PhotoModeration | undefined;
}

export const pictureFromPhoto = (photo: Photo): Picture => ({
  key: photo.id,
  thumb: photo.thumb,
  src: photo.src,
  width: photo.width,
  height: photo.height,
  title: photo.title,
  year: photo.year,
  about: [photo.place, photo.takenOn && formatDate(photo.takenOn), photo.album].filter((text) => text !== null),
  by: photo.by,
  ownId: photo.isOwn ? photo.id : null,
  reportId: photo.isOwn ? null : photo.id,
  moderation: photo.moderation,
});

export const pictureFromSample = ({ file, title }: (typeof samplePhotos)[number]): Picture => ({
  key: file,
  thumb: `/gallery/${file}.svg`,
  src: `/gallery/${file}.svg`,
  width: 1200,
  height: 800,
  title,
  about: [sampleAlbumTitle],
  year: null,
  by: null,
  ownId: null,
  reportId: null,
});

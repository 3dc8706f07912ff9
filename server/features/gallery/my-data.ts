import type { Context } from '#server/domain/context.ts';
import { type CollectMyData, jsonFile } from '#server/domain/my-data.ts';
import type { ZipFile } from '#server/platform/storage/zip.ts';

export const collectGalleryData: CollectMyData = async (context, { account }) => {
  const rows = await context.db
    .selectFrom('photos')
    .select([
      'picture',
      'title',
      'album',
      'place',
      'taken_on as takenOn',
      'audience',
      'moderation as hidden',
      'width',
      'height',
      'created_at as addedAt',
    ])
    .where('account_id', '=', account.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  if (rows.length === 0) return {};
  const photos = rows.map((row, index) => {
    const { picture: _, ...photo } = row;
    return { file: `pictures/photo-${String(index + 1).padStart(3, '0')}.webp`, ...photo };
  });
  return {
    about: {
      'photos.json':
        'The photos that you added to the gallery: title, album, place, date and audience of each, and whether staff or a report hide it.',
      'pictures/photo-….webp': 'These photos, in the largest size that the archive stores.',
    },
    files: listFiles(
      context,
      photos,
      rows.map(({ picture }) => picture),
    ),
  };
};

async function* listFiles(
  { media }: Context,
  photos: readonly { readonly file: string }[],
  pictures: readonly string[],
): AsyncGenerator<ZipFile> {
  yield jsonFile('photos.json', photos);
  for (const [index, { file }] of photos.entries()) {
    const content = await media.read(pictures[index] ?? '', 1440);
    // Absent if deleted during the download.
    if (content) yield { path: file, content };
  }
}

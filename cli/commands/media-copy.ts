import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { appendEntries, readEntries, writeObjects } from '#server/domain/accounts/deletion-journal.ts';
import { pictureSizes } from '#server/domain/people/picture-sizes.ts';
import { removeUnusedPictures } from '#server/domain/people/pictures.ts';
import { readObjectStore } from '#server/platform/config/media-url.ts';
import { runConcurrently } from '#server/platform/limits/run-concurrently.ts';
import { createFolderStore } from '#server/platform/media/folder-store.ts';
import { createMedia, pictureFileNames } from '#server/platform/media/media.ts';
import { createObjectStore } from '#server/platform/media/object-store.ts';
import type { PictureStore } from '#server/platform/media/picture-store.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import { type Command, Failure, type Tools } from '../support/command.ts';
import { countRows, createPictureQuery, readPictureNames } from '../support/stored-pictures.ts';
import { withArchive } from '../support/with-archive.ts';
import { withSnapshot } from '../support/with-snapshot.ts';

const isObjectStore = (place: string): boolean => place.startsWith('s3:');

export const mediaCopy: Command = {
  name: 'media copy',
  summary: 'Copy the pictures to or from an object store. The server can keep running.',
  options: {
    to: {
      type: 'string',
      valueName: 'PLACE',
      summary: 'a folder, or a URL like MEDIA_URL; default: where the archive stores pictures',
    },
    from: {
      type: 'string',
      valueName: 'PLACE',
      summary: 'a folder or a URL; default: where the archive stores pictures',
    },
  },
  description: [
    'Copies each used picture that the target lacks, verifies each copy, then copies what was uploaded meanwhile. Deletes nothing at the source. You can run it again at any time.',
    'Also copies the deletion journal of this machine. Does not copy uploaded rosters and exports by staff: upload or request these again.',
  ],
  examples: [`--to 's3://bucket/prefix?endpoint=https://storage.example.edu'`, '--from /var/lib/archive/media'],
  run: ({ values }, tools) =>
    withArchive(tools.environment, async (archive) => {
      const { config, context } = archive;
      const open = (place: string | undefined, name: string) => {
        if (place === undefined) return context.media.store;
        if (isObjectStore(place))
          return createObjectStore(readObjectStore(place, tools.environment, name), pictureFileNames(pictureSizes));
        if (name === '--from' && !existsSync(place)) throw new Failure(`${place} does not exist.`);
        return createFolderStore(resolve(place), config.diskReserveBytes);
      };
      const [from, to] = [open(values['from'], '--from'), open(values['to'], '--to')];
      if (from.location === to.location)
        throw new Failure(`Source and target are both ${from.location}. Set --to or --from to another place.`);
      await to.check();
      const first = await copyPictures(archive, from, to, tools);
      const second = await copyPictures(archive, from, to, tools);
      const entries = await readEntries(context);
      const isToObjects = isObjectStore(to.location);
      if (isToObjects) await writeObjects(to, entries);
      else await appendEntries({ ...context, config: { ...config, objectStore: null } }, entries);
      if (second.missing > 0) tools.printStatus(`WARN: ${second.missing} pictures are missing in both places.`);
      tools.print(
        `${first.copied + second.copied} of ${second.all} pictures were copied to ${to.location}. The others were already there.`,
      );
      if (to !== context.media.store)
        tools.print(
          `Now ${isToObjects ? `set MEDIA_URL='${values['to']}'` : 'unset MEDIA_URL'} on every machine and restart. Then copy what was uploaded meanwhile: npm run archive -- media copy --from '${values['from'] ?? from.location}'`,
        );
    }),
};

async function copyPictures(archive: OpenArchive, from: PictureStore, to: PictureStore, tools: Tools) {
  const source = createMedia(from, pictureSizes);
  const copied: string[] = [];
  let [all, missing] = [0, 0];
  async function copyPicture(name: string): Promise<void> {
    const sizes = new Map((await to.listFiles(name)).map(({ name: file, bytes }) => [file, bytes]));
    const stored = await source.readFileSizes(name);
    if (stored.length === 0 && sizes.size === 0) missing++;
    if (stored.every(({ name: file, bytes }) => sizes.get(file) === bytes)) return;
    await to.requireSpace();
    const files = await source.readFiles(name);
    await to.write(name, new Map(files.map(({ name: file, content }) => [file, content])));
    for (const { name: file, content } of files)
      if (!(await to.read(name, file))?.equals(content))
        throw new Failure(`The copy of ${name}/${file} in ${to.location} differs. Run the command again.`);
    copied.push(name);
  }
  await withSnapshot(archive, 'archive media copy', async (client) => {
    all = await countRows(client, await createPictureQuery(client));
    using bar = tools.progress('Pictures', all);
    await runConcurrently(readPictureNames(client), async (name) => {
      await copyPicture(name);
      bar.add();
    });
  });
  // Pictures that were deleted during the copy must not come back.
  const target = { db: archive.context.db, media: createMedia(to, pictureSizes) };
  for (let start = 0; start < copied.length; start += batchSize)
    await removeUnusedPictures(target, copied.slice(start, start + batchSize));
  return { copied: copied.length, all, missing };
}

const batchSize = 1_000;

import { usedPictures } from '#server/domain/pictures.ts';
import { readRefusedCleanUp, refusalOf } from '#server/platform/refused-clean-up.ts';
import { type Check, archiveOf, ask, fail, ok, warn } from './check.ts';

/** Pictures that are looked at when not all are. */
const sample = 200;

/** Pictures that are asked after at once. */
const atOnce = 1_000;

/** Milliseconds: longer than any save takes between its picture and its row. */
const day = 24 * 60 * 60 * 1000;

/** Rows and files of pictures. */
export const mediaChecks: readonly Check[] = [
  {
    about: 'pictures',
    needs: 'tables',
    run: async (subject) => {
      const { media } = archiveOf(subject).context;
      const rows = await ask<{ picture: string; size: 384 | 1440 }>(
        subject,
        `select * from (
           select picture, 384 as size from profiles where picture is not null
           union all select picture, 384 from unfinished_profiles where picture is not null
           union all select picture, 1440 from photos
         ) as pictures ${subject.isThorough ? '' : `order by random() limit ${sample}`}`,
      );
      let missing = 0;
      for (const { picture, size } of rows) if ((await media.read(picture, size)) === null) missing++;
      const looked = subject.isThorough ? `all ${rows.length}` : `${rows.length} of them`;
      return missing === 0
        ? ok(`${looked} are there.`)
        : fail(
            `${missing} of ${looked} are missing in ${media.folder}. Put the folder back from the backup of the same night.`,
          );
    },
  },
  {
    about: 'clean-up',
    run: async ({ config: { dataDir } }) => {
      const refused = await readRefusedCleanUp(dataDir);
      return refused ? fail(refusalOf(refused)) : ok('nothing was refused.');
    },
  },
  {
    about: 'left pictures',
    only: 'thorough',
    needs: 'tables',
    run: async (subject) => {
      const { db, media } = archiveOf(subject).context;
      const names = await media.namesFrom(new Date(Date.now() - day));
      let left = 0;
      for (let from = 0; from < names.length; from += atOnce) {
        const some = names.slice(from, from + atOnce);
        left += some.length - (await usedPictures(db, some)).size;
      }
      return left === 0
        ? ok('none.')
        : warn(`${left} belong to nobody. The clean-up of each night takes them away, while the product runs.`);
    },
  },
];

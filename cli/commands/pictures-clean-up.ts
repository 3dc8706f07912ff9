import { cleanUpPictures } from '#server/domain/people/clean-up-pictures.ts';
import { describeRefusal } from '#server/domain/people/refused-clean-up.ts';
import { type Command, Failure } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

export const picturesCleanUp: Command = {
  name: 'pictures clean-up',
  summary: 'Delete unused pictures from disk. The server does this every night.',
  options: {
    force: { type: 'boolean', summary: 'delete them even if they are many, or all stored pictures' },
    'dry-run': { type: 'boolean', summary: 'print the number of unused pictures, without deleting them' },
  },
  description: [
    'A picture is unused if no profile and no gallery photo refers to it. Pictures from the last 24 hours are kept.',
    'Without --force, nothing is deleted if too many pictures are unused: more than 50 and more than 5 % of all, more than 3 and more than half of all, or all of them. In that case the database is probably empty or the wrong one. Check DATABASE_URL and make a backup before you add --force.',
  ],
  examples: ['--dry-run', ''],
  run: async ({ flags }, { environment, print }) => {
    const isDryRun = flags.has('dry-run');
    const found = await withArchive(environment, ({ context }) =>
      cleanUpPictures(context, { isForced: flags.has('force'), isDryRun }),
    );
    if (found.isRefused) throw new Failure(describeRefusal(found));
    print(`${found.unused} of ${found.all} pictures ${isDryRun ? 'would be' : 'were'} deleted.`);
  },
};

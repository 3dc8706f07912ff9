import { cleanUpPictures } from '#server/domain/clean-up-pictures.ts';
import { describeRefusal } from '#server/domain/refused-clean-up.ts';
import { type Command, Failure } from '../support/command.ts';
import { withArchive } from '../support/with-archive.ts';

/** `pictures clean-up` */
export const picturesCleanUp: Command = {
  name: 'pictures clean-up',
  summary: 'Deletes stored pictures that no profile and no photo uses. The product does this every night.',
  options: {
    force: { type: 'boolean', summary: 'deletes them even if they are many, or all that are stored' },
    'dry-run': { type: 'boolean', summary: 'says how many there are, and deletes nothing' },
  },
  help: [
    'Pictures of the last 24 hours stay. Without --force nothing is deleted if the unused pictures are more than 50 and more than 5 % of all, more than 3 and more than half of all, or all of them: the database is then probably empty or the wrong one. Check DATABASE_URL and make a backup before you add --force.',
  ],
  run: async ({ flags }, { environment, say }) => {
    const isDryRun = flags.has('dry-run');
    const found = await withArchive(environment, ({ context }) =>
      cleanUpPictures(context, { isForced: flags.has('force'), isDryRun }),
    );
    if (found.isRefused) throw new Failure(describeRefusal(found));
    say(`${found.unused} of ${found.all} pictures ${isDryRun ? 'would be' : 'were'} deleted.`);
  },
};

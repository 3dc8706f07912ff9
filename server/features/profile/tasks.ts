import type { TaskList } from 'graphile-worker';
import type { Context } from '../../domain/context.ts';
import { deleteRemoved, usedPictures } from '../../domain/pictures.ts';
import { isClockSteady } from '../../platform/clock.ts';
import { removePicturesJob } from './jobs.ts';

/** Milliseconds: longer than any save takes between its picture and its row. */
const day = 24 * 60 * 60 * 1000;

/** What the worker does for this feature. */
export const profileTasks = ({ db, media }: Context): TaskList => ({
  // A crash between the files and the rows leaves pictures that nothing shows, and pieces of unfinished ones.
  ...removePicturesJob.handle(async () => {
    if (!(await isClockSteady(db))) return;
    const old = await media.namesFrom(new Date(Date.now() - day));
    const used = await usedPictures(db, old);
    for (const name of old) if (!used.has(name)) await media.setAside(name);
    await deleteRemoved({ db, media });
  }),
});

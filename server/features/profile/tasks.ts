import { cleanUpPictures } from '#server/domain/people/clean-up-pictures.ts';
import type { Context } from '#server/domain/context.ts';
import { type JobHandlers, OperatorNeeded } from '#server/platform/jobs/define-job.ts';
import { withdrawPicturesJob } from '#server/domain/membership/membership.ts';
import { describeRefusal } from '#server/domain/people/refused-clean-up.ts';
import { askForCareers } from './ask-for-careers.ts';
import { askForCareersJob, removePicturesJob, updateMinorsJob } from './jobs.ts';
import { updateMinors } from './update-minors.ts';
import { withdrawPictures } from './withdraw-pictures.ts';

export const profileTasks = (context: Context): JobHandlers => ({
  ...askForCareersJob.handle(async () => askForCareers(context.db)),
  ...updateMinorsJob.handle(async () => updateMinors(context)),
  ...withdrawPicturesJob.handle(async ({ accountId, photoId }) => withdrawPictures(context, accountId, photoId)),
  ...removePicturesJob.handle(async () => {
    const found = await cleanUpPictures(context);
    if (found.isRefused) throw new OperatorNeeded(describeRefusal(found));
  }),
});

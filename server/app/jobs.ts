import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { announcementTasks } from '#server/features/announcements/tasks.ts';
import { careerSchedules } from '#server/features/careers/jobs.ts';
import { careerTasks } from '#server/features/careers/tasks.ts';
import { contactSchedules } from '#server/features/contact/jobs.ts';
import { contactTasks } from '#server/features/contact/tasks.ts';
import { identitySchedules } from '#server/features/identity/jobs.ts';
import { identityTasks } from '#server/features/identity/tasks.ts';
import { membershipSchedules } from '#server/features/membership/jobs.ts';
import { membershipTasks } from '#server/features/membership/tasks.ts';
import { notificationSchedules } from '#server/features/notifications/jobs.ts';
import { notificationTasks } from '#server/features/notifications/tasks.ts';
import { profileSchedules } from '#server/features/profile/jobs.ts';
import { profileTasks } from '#server/features/profile/tasks.ts';
import { reportSchedules } from '#server/features/reports/jobs.ts';
import { reportTasks } from '#server/features/reports/tasks.ts';
import { reviewSchedules } from '#server/features/review/jobs.ts';
import { reviewTasks } from '#server/features/review/tasks.ts';
import { invitationTasks } from '#server/features/roster/invitation-tasks.ts';
import { rosterSchedules } from '#server/features/roster/jobs.ts';
import { rosterTasks } from '#server/features/roster/tasks.ts';
import { searchSchedules } from '#server/features/search/jobs.ts';
import { searchTasks } from '#server/features/search/tasks.ts';
import { staffSchedules } from '#server/features/staff/jobs.ts';
import { staffTasks } from '#server/features/staff/tasks.ts';
import { staffPeopleSchedules } from '#server/features/staff-people/exports/jobs.ts';
import { staffPeopleTasks } from '#server/features/staff-people/exports/make-export.ts';
import { isClockSteady } from '#server/platform/lifecycle/clock.ts';
import type { JobHandlers, Schedule } from '#server/platform/jobs/define-job.ts';
import { recordMailFailures } from '#server/domain/mail/mail-failures.ts';
import type { Mailer } from '#server/platform/mail/mail.ts';
import { allApprovedActions, allReviewables } from './staff.ts';
import { countMails } from '#server/platform/mail/mail-metrics.ts';

export function allTasks(context: Context, ownMailer: Mailer): JobHandlers {
  const mailer = recordMailFailures(context.db, countMails(ownMailer, context.metrics));
  return skipWithoutSteadyClock(context.db, {
    ...identityTasks(context, mailer),
    ...profileTasks(context),
    ...notificationTasks(context),
    ...searchTasks(context),
    ...careerTasks(context),
    ...contactTasks(context, mailer),
    ...announcementTasks(context, mailer),
    ...reportTasks(context, mailer),
    ...rosterTasks(context),
    ...invitationTasks(context, mailer),
    ...membershipTasks(context, mailer),
    ...staffTasks(context, mailer, allApprovedActions),
    ...reviewTasks(context, mailer, allReviewables),
    ...staffPeopleTasks(context, mailer),
  });
}

export const allSchedules: readonly Schedule[] = [
  ...identitySchedules,
  ...profileSchedules,
  ...notificationSchedules,
  ...searchSchedules,
  ...careerSchedules,
  ...contactSchedules,
  ...reportSchedules,
  ...rosterSchedules,
  ...membershipSchedules,
  ...reviewSchedules,
  ...staffSchedules,
  ...staffPeopleSchedules,
];

function skipWithoutSteadyClock(db: Db, tasks: JobHandlers): JobHandlers {
  const guarded: Record<string, JobHandlers[string]> = { ...tasks };
  for (const { job, isAgeBased } of allSchedules) {
    const task = tasks[job.name];
    if (!isAgeBased || !task) continue;
    guarded[job.name] = async (payload, attempt) => {
      if (await isClockSteady(db)) await task(payload, attempt);
    };
  }
  return guarded;
}

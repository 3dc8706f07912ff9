import type { Db } from './db/client.ts';
import type { Context } from './domain/context.ts';
import { announcementTasks } from './features/announcements/tasks.ts';
import { contactSchedules } from './features/contact/jobs.ts';
import { contactTasks } from './features/contact/tasks.ts';
import { identitySchedules } from './features/identity/jobs.ts';
import { identityTasks } from './features/identity/tasks.ts';
import { membershipSchedules } from './features/membership/jobs.ts';
import { membershipTasks } from './features/membership/tasks.ts';
import { notificationSchedules } from './features/notifications/jobs.ts';
import { notificationTasks } from './features/notifications/tasks.ts';
import { profileSchedules } from './features/profile/jobs.ts';
import { profileTasks } from './features/profile/tasks.ts';
import { reportSchedules } from './features/reports/jobs.ts';
import { reportTasks } from './features/reports/tasks.ts';
import { reviewTasks } from './features/review/tasks.ts';
import { rosterSchedules } from './features/roster/jobs.ts';
import { rosterTasks } from './features/roster/tasks.ts';
import { searchSchedules } from './features/search/jobs.ts';
import { searchTasks } from './features/search/tasks.ts';
import { staffSchedules } from './features/staff/jobs.ts';
import { staffTasks } from './features/staff/tasks.ts';
import { staffPeopleSchedules } from './features/staff-people/exports/jobs.ts';
import { staffPeopleTasks } from './features/staff-people/exports/make-export.ts';
import { isClockSteady } from './platform/lifecycle/clock.ts';
import type { JobHandlers, Schedule } from './platform/jobs/define-job.ts';
import { recordMailFailures } from './domain/mail-failures.ts';
import type { Mailer } from './platform/mail/mail.ts';
import { allApprovedActs, allReviewables } from './staff.ts';
import { countMails } from './platform/mail/mail-metrics.ts';

/** Returns the job handlers of all features. */
export function allTasks(context: Context, ownMailer: Mailer): JobHandlers {
  const mailer = recordMailFailures(context.db, countMails(ownMailer, context.metrics));
  return skipWithoutSteadyClock(context.db, {
    ...identityTasks(context, mailer),
    ...profileTasks(context),
    ...notificationTasks(context),
    ...searchTasks(context),
    ...contactTasks(context, mailer),
    ...announcementTasks(context, mailer),
    ...reportTasks(context, mailer),
    ...rosterTasks(context),
    ...membershipTasks(context, mailer),
    ...staffTasks(context, mailer, allApprovedActs),
    ...reviewTasks(context, allReviewables),
    ...staffPeopleTasks(context, mailer),
  });
}

/** Cron schedules of all features. */
export const allSchedules: readonly Schedule[] = [
  ...identitySchedules,
  ...profileSchedules,
  ...notificationSchedules,
  ...searchSchedules,
  ...contactSchedules,
  ...reportSchedules,
  ...rosterSchedules,
  ...membershipSchedules,
  ...staffSchedules,
  ...staffPeopleSchedules,
];

/** Skips scheduled jobs that need a steady clock while the clock may be wrong. */
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

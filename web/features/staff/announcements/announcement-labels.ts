import { bulkBatchDelaySeconds, bulkBatchSize } from '#contract/bulk-mails.ts';
import type { AnnouncementScope, AnnouncementState, AnnouncementSummary } from '#contract/staff/announcements.ts';

export const stateNames: Record<AnnouncementState, string> = {
  draft: 'Draft',
  requested: 'Waiting for approval',
  scheduled: 'Scheduled',
  sending: 'Sending',
  sent: 'Sent',
  stopped: 'Stopped',
};

export function formatScope({ college, department, yearFrom, yearTo }: AnnouncementScope): string {
  const parts = [college, department].filter((part) => part !== null);
  return [parts.length === 0 ? 'Whole institution' : parts.join(', '), ...formatYears(yearFrom, yearTo)].join(', ');
}

function formatYears(from: number | null, to: number | null): string[] {
  if (from === null && to === null) return [];
  if (from === null) return [`class of ${to} and before`];
  if (to === null) return [`class of ${from} and after`];
  return [from === to ? `class of ${from}` : `class of ${from} to ${to}`];
}

/** Returns the state to show: mails that have been handed to the queue still take a moment. */
export const shownState = ({ state, progress }: Pick<AnnouncementSummary, 'state' | 'progress'>): AnnouncementState =>
  state === 'sent' && progress.waiting > 0 ? 'sending' : state;

export const titleOf = ({ subject }: Pick<AnnouncementSummary, 'subject'>): string => subject || 'Untitled draft';

/** Returns an empty text if all mails go out at once. */
export function formatDuration(people: number): string {
  const minutes = ((Math.ceil(people / bulkBatchSize) - 1) * bulkBatchDelaySeconds) / 60;
  if (minutes <= 0) return '';
  return minutes < 120 ? `about ${minutes} minutes` : `about ${Math.ceil(minutes / 60)} hours`;
}

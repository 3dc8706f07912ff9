const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** Formats an ISO timestamp as "23 Nov 2026, 07:30 UTC". */
export const formatTime = (timestamp: string): string => `${timeFormat.format(new Date(timestamp))} UTC`;

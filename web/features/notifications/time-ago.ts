import { formatDate } from '#web/ui/day.tsx';

const format = new Intl.RelativeTimeFormat('en');

const dayMs = 86_400_000;

const units = [
  ['day', dayMs],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const maxDays = 7;

/** Returns a text such as "2 hours ago", or the date. @param now in milliseconds */
export function timeAgo(timestamp: string, now: number): string {
  const elapsedMs = now - Date.parse(timestamp);
  if (elapsedMs >= (maxDays + 1) * dayMs) return formatDate(timestamp);
  const [unit, unitMs] = units.find(([, ms]) => elapsedMs >= ms) ?? [];
  // The clock of the browser can be behind that of the server.
  return unit ? format.format(-Math.floor(elapsedMs / unitMs), unit) : 'just now';
}

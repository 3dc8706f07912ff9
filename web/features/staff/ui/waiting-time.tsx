const minuteMs = 60_000;

const formatUnit = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

export function timeSince(time: string, now = Date.now()): string {
  const minutes = Math.max(1, Math.floor((now - Date.parse(time)) / minuteMs));
  if (minutes < 60) return formatUnit(minutes, 'minute');
  if (minutes < 48 * 60) return formatUnit(Math.floor(minutes / 60), 'hour');
  return formatUnit(Math.floor(minutes / 60 / 24), 'day');
}

export const WaitingTime = ({ since }: { since: string }) => (
  // The browser may render a minute later than the server.
  <time dateTime={since} suppressHydrationWarning>
    {timeSince(since)}
  </time>
);

const minuteMs = 60_000;
const longWaitMs = 4 * 24 * 60 * minuteMs;

const formatUnit = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

export function timeSince(time: string, now = Date.now()): string {
  const minutes = Math.max(1, Math.floor((now - Date.parse(time)) / minuteMs));
  if (minutes < 60) return formatUnit(minutes, 'minute');
  if (minutes < 48 * 60) return formatUnit(Math.floor(minutes / 60), 'hour');
  return formatUnit(Math.floor(minutes / 60 / 24), 'day');
}

const isLongWait = (time: string): boolean => Date.now() - Date.parse(time) >= longWaitMs;

export function WaitingTime({ since }: { since: string }) {
  return (
    // The browser may render a minute later than the server.
    <time dateTime={since} className={isLongWait(since) ? 'font-semibold text-ink' : ''} suppressHydrationWarning>
      {timeSince(since)}
    </time>
  );
}

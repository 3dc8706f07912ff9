const minuteMs = 60_000;

const formatUnit = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

export function timeSince(time: string, now = Date.now()): string {
  const minutes = Math.max(1, Math.floor((now - Date.parse(time)) / minuteMs));
  if (minutes < 60) return formatUnit(minutes, 'minute');
  if (minutes < 48 * 60) return formatUnit(Math.floor(minutes / 60), 'hour');
  return formatUnit(Math.floor(minutes / 60 / 24), 'day');
}

export function WaitingTime({ since }: { since: string }) {
  const text = timeSince(since);
  const isLong = text.endsWith('days') && Number.parseInt(text, 10) > 3;
  return (
    // The browser may render a minute later than the server.
    <time dateTime={since} className={isLong ? 'font-semibold text-ink' : ''} suppressHydrationWarning>
      {text}
    </time>
  );
}

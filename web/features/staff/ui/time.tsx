import { useHydrated } from '#web/platform/use-hydrated.ts';

const format: Intl.DateTimeFormatOptions = {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
};
const localFormat = new Intl.DateTimeFormat('en-GB', format);
const utcFormat = new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' });

/** A time such as "23 Nov 2026, 08:30 GMT+1". The server does not know the reader's zone, so it renders UTC. */
export const Time = ({ of }: { of: string }) => (
  <time dateTime={of}>{(useHydrated() ? localFormat : utcFormat).format(new Date(of))}</time>
);

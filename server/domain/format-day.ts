const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** Formats the day of a time in UTC for a sentence, for example "4 March 2027". */
export const formatDay = (time: Date): string => dayFormat.format(time);

const words = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** A day, from `2015-03-12` or a whole timestamp, as "12 March 2015". */
export const dayInWords = (date: string): string => words.format(new Date(`${date.slice(0, 10)}T00:00:00Z`));

/** The same for people and for machines. */
export const Day = ({ of }: { of: string }) => <time dateTime={of}>{dayInWords(of)}</time>;

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export const formatDate = (date: string): string => dateFormat.format(new Date(`${date.slice(0, 10)}T00:00:00Z`));

export const Day = ({ of }: { of: string }) => <time dateTime={of}>{formatDate(of)}</time>;

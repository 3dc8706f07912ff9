/** The names of the three inputs of a date start with that of the field, such as `dob-day`. */
export const datePartNames = ['day', 'month', 'year'] as const;
export type DatePart = (typeof datePartNames)[number];
export type DateParts = Readonly<Record<DatePart, string>>;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function toMonthNumber(typed: string): string {
  const place = months.indexOf(typed.slice(0, 3).toLowerCase());
  return place < 0 ? typed : String(place + 1);
}

/**
 * Joins what was typed to `YYYY-MM-DD`, or to a text that is no date. Returns an empty text if nothing was typed.
 */
export function joinDate(parts: DateParts): string {
  const [day, month, year] = datePartNames.map((part) => parts[part].replaceAll('-', '').trim()) as [
    string,
    string,
    string,
  ];
  if (day === '' && month === '' && year === '') return '';
  const twoDigits = (text: string) => (/^\d$/u.test(text) ? `0${text}` : text);
  return [year, twoDigits(toMonthNumber(month)), twoDigits(day)].join('-');
}

export function splitDate(date: string): DateParts {
  const [year = '', month = '', day = ''] = date.split('-');
  const bare = (text: string) => text.replace(/^0(?=\d$)/u, '');
  return { day: bare(day), month: bare(month), year };
}

export function joinDates(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const joined = { ...fields };
  for (const key of Object.keys(fields)) {
    const name = /^(?<name>.+)-day$/u.exec(key)?.groups?.['name'];
    if (name === undefined || fields[`${name}-year`] === undefined) continue;
    const entries = datePartNames.map((part) => [part, fields[`${name}-${part}`] ?? ''] as const);
    for (const part of datePartNames) delete joined[`${name}-${part}`];
    joined[name] = joinDate(Object.fromEntries(entries) as Record<DatePart, string>);
  }
  return joined;
}

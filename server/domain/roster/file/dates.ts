import { earliestYear } from '#contract/filter-limits.ts';

type WrittenDate = { readonly hasShortYear: boolean; readonly year: number } & (
  | { readonly order: 'known'; readonly month: number; readonly day: number }
  | { readonly order: 'open'; readonly first: number; readonly second: number }
);

const dayMs = 86_400_000;

/** Returns the date of a serial number of Excel as `YYYY-MM-DD`, or null if Excel shows no date for it. */
export function fromSerial(serial: number, dateSystem: 1900 | 1904): string | null {
  const day = Math.floor(serial);
  // Excel counts a February 29, 1900. From March 1900 on, its day 0 is December 30, 1899.
  if (!(day > 60 && day < 2_958_466)) return null;
  const epoch = dateSystem === 1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  return new Date(epoch + day * dayMs).toISOString().slice(0, 10);
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const findMonth = (name: string): number => monthNames.indexOf(name.slice(0, 3).toLowerCase()) + 1;

const isMonthName = (name: string): boolean =>
  /^(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)$/iu.test(
    name,
  );

const isEmptyDate = (text: string): boolean => /^0{1,4}([-/.])0{1,2}\1(?:0{1,4})$/u.test(text);

/**
 * Splits a date into its numbers.
 * @returns null if the text is not a date, and `blank` for a placeholder such as 00/00/0000
 */
export function splitDate(typed: string, dateSystem: 1900 | 1904): WrittenDate | 'blank' | null {
  // The time is ignored.
  const text = typed
    .replace(/(?:[T ]\s*\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AP]M)?(?:Z|[+-]\d{2}:?\d{2})?)$/iu, '')
    .trim();
  if (isEmptyDate(text)) return 'blank';
  const numbers = /^(\d{1,4})([-/. ])(\d{1,2})\2(\d{1,4})$/u.exec(text);
  if (numbers) return orderNumbers(numbers[1] ?? '', numbers[3] ?? '', numbers[4] ?? '');
  const compact = /^((?:19|20)\d{2})(\d{2})(\d{2})$/u.exec(text);
  if (compact) return orderNumbers(compact[1] ?? '', compact[2] ?? '', compact[3] ?? '');
  // Five digits: from 1927 to 2173.
  if (/^\d{5}(?:\.\d+)?$/u.test(text)) {
    const [year = '', month = '', day = ''] = fromSerial(Number(text), dateSystem)?.split('-') ?? [];
    return orderNumbers(year, month, day);
  }
  const dayFirst = /^(\d{1,2})(?:st|nd|rd|th)?[-/., ]*([a-z]{3,9})\.?[-/., ]*(\d{4}|\d{2})$/iu.exec(text);
  const monthFirst = /^([a-z]{3,9})\.?[-/., ]*(\d{1,2})(?:st|nd|rd|th)?[-/., ]+(\d{4})$/iu.exec(text);
  const [day = '', name = '', year = ''] =
    dayFirst?.slice(1) ?? (monthFirst ? [monthFirst[2], monthFirst[1], monthFirst[3]] : []);
  if (!isMonthName(name)) return null;
  return {
    order: 'known',
    hasShortYear: year.length === 2,
    year: Number(year),
    month: findMonth(name),
    day: Number(day),
  };
}

function orderNumbers(first: string, second: string, third: string): WrittenDate | null {
  if (first.length === 4 && third.length <= 2)
    return { order: 'known', hasShortYear: false, year: Number(first), month: Number(second), day: Number(third) };
  if (first.length > 2 || (third.length !== 4 && third.length !== 2)) return null;
  const hasShortYear = third.length === 2;
  return { order: 'open', hasShortYear, year: Number(third), first: Number(first), second: Number(second) };
}

export function findOrders(date: WrittenDate): 'dmy' | 'mdy' | 'both' | 'same' | 'known' {
  if (date.order === 'known') return 'known';
  if (date.first === date.second) return 'same';
  if (date.first > 12) return 'dmy';
  return date.second > 12 ? 'mdy' : 'both';
}

interface DateRules {
  readonly order: 'dmy' | 'mdy' | null;
  readonly dateSystem: 1900 | 1904;
  /** Latest possible year. A year of two digits means the latest possible century. */
  readonly latestYear: number;
}

/** Reads a date. @returns `YYYY-MM-DD`, null for a placeholder, or the reason why it cannot be read */
export function readDate(text: string, rules: DateRules): { date: string | null } | { reason: string } {
  const written = splitDate(text, rules.dateSystem);
  if (written === 'blank') return { date: null };
  if (!written) return { reason: describeUnreadableDate(text) };
  const found = findOrders(written);
  const order =
    found === 'dmy' || found === 'mdy' ? (rules.order ?? found) : (rules.order ?? (found === 'same' ? 'dmy' : null));
  if (written.order === 'open' && !order)
    return { reason: 'This date can be read with the day or the month first. Choose the order for the whole file.' };
  const { month, day } =
    written.order === 'known'
      ? written
      : order === 'dmy'
        ? { day: written.first, month: written.second }
        : { day: written.second, month: written.first };
  if (month > 12 && written.order === 'open')
    return {
      reason: `This date has no month ${month}. The file’s order is ${order === 'dmy' ? 'day, month, year' : 'month, day, year'}.`,
    };
  const year = written.hasShortYear ? completeYear(written.year, rules.latestYear) : written.year;
  return checkDate(year, month, day, rules.latestYear);
}

const completeYear = (shortYear: number, latestYear: number): number =>
  2_000 + shortYear <= latestYear ? 2_000 + shortYear : 1_900 + shortYear;

function checkDate(
  year: number,
  month: number,
  day: number,
  latestYear: number,
): { date: string } | { reason: string } {
  if (year < earliestYear || year > latestYear)
    return { reason: `The year must be between ${earliestYear} and ${latestYear}.` };
  const date = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  // Date rolls impossible days over into the next month.
  const isReal = month >= 1 && month <= 12 && day >= 1 && new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  return isReal ? { date } : { reason: 'This day does not exist.' };
}

const describeUnreadableDate = (text: string): string =>
  /^\d{4}$/u.test(text)
    ? 'This is only a year. A date needs a day and a month.'
    : 'This is not a date. Use YYYY-MM-DD.';

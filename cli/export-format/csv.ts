/** Byte order mark: without it, spreadsheets take UTF-8 for something older. */
export const csvStart = '\uFEFF';

/** What makes a spreadsheet calculate instead of showing a text (OWASP, CSV injection). */
const formula = /^[=+\-@\t\r]/u;

/** A number to call, however it is written: nothing in it can be calculated into anything but a number. */
const phoneNumber = /^\+[\d\s().-]+$/u;

/**
 * A row of a CSV file (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe before it; a phone
 * number with its + stays as it is.
 */
export const csvRow = (cells: readonly (string | number)[]): string => `${cells.map(cell).join(',')}\r\n`;

function cell(value: string | number): string {
  const text = String(value);
  const safe = formula.test(text) && !phoneNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** UTF-8 byte order mark. If the file has none, spreadsheets assume an older encoding. */
export const byteOrderMark = '\uFEFF';

/** Matches texts that a spreadsheet would run as a formula (OWASP, CSV injection). */
const formulaStart = /^[=+\-@\t\r]/u;

/** Matches phone numbers, which are harmless in a spreadsheet although they start with +. */
const phoneNumber = /^\+[\d\s().-]+$/u;

/**
 * Formats a row of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula gets a leading apostrophe. A phone number
 * stays unchanged.
 */
export const formatCsvRow = (cells: readonly (string | number)[]): string => `${cells.map(formatCell).join(',')}\r\n`;

function formatCell(value: string | number): string {
  const text = String(value);
  const safe = formulaStart.test(text) && !phoneNumber.test(text) ? `'${text}` : text;
  return /[",\r\n]/u.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}

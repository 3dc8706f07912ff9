import Papa from 'papaparse';

/** UTF-8 byte order mark. If the file has none, spreadsheets assume an older encoding. */
export const byteOrderMark = '\uFEFF';

/**
 * Matches texts that a spreadsheet would run as a formula (OWASP, CSV injection), but not phone numbers, which start
 * with + as well.
 */
const formula = /^(?!\+[\d\s().-]+$)[=+\-@\t\r]/u;

/**
 * Formats a row of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula gets a leading apostrophe.
 */
export const formatCsvRow = (cells: readonly (string | number)[]): string =>
  `${Papa.unparse([[...cells]], { escapeFormulae: formula })}\r\n`;

import type { MyDataPart } from '#server/domain/my-data.ts';

/** Writes CRLF line endings, so that every editor shows the line breaks. */
export function createReadme(institution: string, day: string, parts: readonly MyDataPart[]): string {
  const about: Record<string, string> = {
    'account.json':
      'Your account: email address, accepted terms, active sessions and settings. It does not contain your password, which the archive does not know.',
    ...Object.assign({}, ...parts.map((part) => part.about)),
  };
  return [
    'My data',
    '=======',
    '',
    `All data that the alumni archive of ${institution} stores about you, as of ${day}.`,
    'Keep this file private: it contains your address, date of birth and contact number.',
    '',
    ...Object.entries(about).flatMap(([path, text]) => [path, `  ${text}`, '']),
    'Dates are year-month-day, and times are in UTC (ISO 8601). All text is UTF-8.',
    'To change or remove data, go to Settings. To remove everything, delete your account there.',
    '',
  ].join('\r\n');
}

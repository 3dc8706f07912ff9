import type { MyDataPart } from '../../domain/my-data.ts';

/** Says what is what, with line ends that every editor knows. */
export function createReadme(institution: string, day: string, parts: readonly MyDataPart[]): string {
  const about: Record<string, string> = {
    'account.json':
      'Your account: address, what you have agreed to, where you are signed in, and what you have chosen. Your password is not in it: the archive does not know it.',
    ...Object.assign({}, ...parts.map((part) => part.about)),
  };
  return [
    'My data',
    '=======',
    '',
    `Everything that the alumni archive of ${institution} holds about you, as it was on ${day}.`,
    'Keep this file where only you can read it: it has your address, your date of birth and your contact number in it.',
    '',
    ...Object.entries(about).flatMap(([path, text]) => [path, `  ${text}`, '']),
    'Days are written as year-month-day, and times in UTC (ISO 8601). All texts are in UTF-8.',
    'To take something back, change it under Settings; to take everything back, delete your account there.',
    '',
  ].join('\r\n');
}

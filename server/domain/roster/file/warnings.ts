import type { RosterWarning } from './roster-file.ts';
import type { Survey } from './survey.ts';

const minBirthDates = 5;

interface FileFacts {
  /** Whether the file says who is a student. Always true except for OneRoster. */
  readonly hasRoles: boolean;
  readonly isDateOrderChosen: boolean;
  readonly isNameOrderChosen: boolean;
}

export function findWarnings(survey: Survey, facts: FileFacts): RosterWarning[] {
  const { dates, names } = survey;
  const isDateDecided = facts.isDateOrderChosen || dates.dmy > 0 || dates.mdy > 0;
  const isMixed = !facts.isDateOrderChosen && dates.dmy > 0 && dates.mdy > 0;
  const hasNewYearBirthdays = survey.birthDates >= minBirthDates && survey.newYearBirthdays * 2 > survey.birthDates;
  const isNameOrderClear = facts.isNameOrderChosen || names['last-first'] > 0 !== names['first-last'] > 0;
  const warnings: RosterWarning[] = [
    {
      kind: 'scientific-notation',
      count: survey.scientific,
      message:
        'Excel has shortened matric numbers to a form such as 7.4E+07. Their last digits are lost, so these rows are skipped.',
    },
    {
      kind: 'leading-zeros',
      count: countLostZeros(survey),
      message:
        'Some matric numbers are shorter than the others and none starts with 0. Excel may have removed leading zeros.',
    },
    {
      kind: 'ambiguous-dates',
      count: isDateDecided ? 0 : dates.both,
      message:
        'No date shows whether the day or the month comes first. The dates are read as day, month, year. Check the samples.',
    },
    {
      kind: 'mixed-dates',
      count: isMixed ? dates.both : 0,
      message:
        'Some dates begin with the day and others with the month. Dates that can be read both ways are left out.',
    },
    {
      kind: 'new-year-birthdays',
      count: hasNewYearBirthdays ? survey.newYearBirthdays : 0,
      message: 'Most birthdays are on 1 January. Probably only the years are real.',
    },
    {
      kind: 'two-digit-years',
      count: survey.shortYears,
      message: 'Some dates have years of two digits. The century is chosen so that no one is under 12 years old.',
    },
    {
      kind: 'name-order',
      count: isNameOrderClear ? 0 : names.unclear + names['last-first'] + names['first-last'],
      message: 'The order of the words in the full names is not certain. Check which word is the last name.',
    },
    {
      kind: 'cut-off',
      count: survey.isLastRowShort ? 1 : 0,
      message: 'The last row is incomplete. The file may have been cut off.',
    },
    {
      kind: 'not-only-students',
      count: facts.hasRoles ? 0 : survey.rows,
      message: 'This file does not say who is a student, so teachers and parents may be among the people.',
    },
  ];
  return warnings.filter(({ count }) => count > 0);
}

function countLostZeros({ digitLengths, leadingZeros }: Survey): number {
  if (leadingZeros > 0) return 0;
  const [usual = 0, rows = 0] = [...digitLengths].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const shorter = [...digitLengths].filter(([length]) => length < usual && length >= usual - 3);
  const lost = shorter.reduce((sum, [, count]) => sum + count, 0);
  return usual >= 5 && lost < rows ? lost : 0;
}

import { Email } from '#contract/fields.ts';
import { fold } from '../../search/folding.ts';
import { toMatricKey } from '../matric-key.ts';
import { remember } from '../remember.ts';
import { cleanCell, isScientific } from './cells.ts';
import { readDate } from './dates.ts';
import { splitName } from './names.ts';
import type { RosterSettings } from './roster-file.ts';
import type { RosterField, RosterRow, RowError } from './roster-row.ts';
import type { TableRow } from './table.ts';
import { readFlag, readGender, readStatus, readYear } from './words.ts';

type Draft = { -readonly [Field in keyof RosterRow]: RosterRow[Field] };

/** Fields without which a row cannot be trusted. If one of them cannot be read, the row is skipped. */
const essentialFields = new Set<RosterField>([
  'matricNumber',
  'lastName',
  'firstName',
  'fullName',
  'status',
  'isConfidential',
  'isDeceased',
]);

export interface MappedColumn {
  readonly at: number;
  readonly key: string;
  readonly field: RosterField;
}

interface RowRules {
  readonly columns: readonly MappedColumn[];
  readonly settings: Pick<RosterSettings, 'nameOrder' | 'dateOrder' | 'departments'>;
  readonly dateSystem: 1900 | 1904;
  readonly thisYear: number;
}

/** Youngest age of people on a roster, in years. Decides the century of birth dates with two digits of the year. */
const minRosterAge = 12;

const maxStudyYears = 10;

export function createRowValidator(rules: RowRules): (row: TableRow, errors: RowError[]) => RosterRow | null {
  const aliases = new Map(Object.entries(rules.settings.departments));
  const findDepartment = remember((name) => aliases.get(fold(name)) ?? name);
  return ({ line, cells }, errors) => {
    const draft = createDraft(line);
    let isSkipped = false;
    for (const { at, key, field } of rules.columns) {
      const raw = cells[at] ?? '';
      const cell = cleanCell(raw, field);
      const reason = 'reason' in cell ? cell.reason : setField(draft, field, cell.text, rules, findDepartment);
      if (reason === null) continue;
      const isRowSkipped = essentialFields.has(field);
      errors.push({ line, column: key, value: raw.slice(0, 100), reason, isRowSkipped });
      isSkipped ||= isRowSkipped;
    }
    if (isSkipped) return null;
    if (draft.lastName === null && draft.firstName === null) {
      errors.push({ line, column: null, value: draft.matricNumber, reason: 'The name is blank.', isRowSkipped: true });
      return null;
    }
    return draft;
  };
}

const createDraft = (line: number): Draft => ({
  line,
  matricNumber: '',
  matricKey: '',
  lastName: null,
  firstName: null,
  otherNames: null,
  gender: null,
  birthDate: null,
  college: null,
  department: null,
  program: null,
  yearAdmitted: null,
  yearGraduated: null,
  email: null,
  phone: null,
  status: null,
  isConfidential: null,
  isDeceased: null,
  diedOn: null,
});

function setField(
  draft: Draft,
  field: RosterField,
  text: string,
  rules: RowRules,
  findDepartment: (name: string) => string,
): string | null {
  if (field === 'matricNumber') return setMatricNumber(draft, text);
  if (text === '') return null;
  const { settings, dateSystem, thisYear } = rules;
  switch (field) {
    case 'fullName':
      Object.assign(draft, splitName(text, settings.nameOrder));
      break;
    case 'lastName':
    case 'firstName':
    case 'otherNames':
    case 'college':
    case 'program':
      draft[field] = text;
      break;
    case 'department':
      draft.department = findDepartment(text);
      break;
    case 'gender':
      draft.gender = readGender(text);
      return draft.gender === null ? 'This gender is not known. Use M, F, male or female.' : null;
    case 'birthDate':
    case 'diedOn': {
      const latestYear = field === 'birthDate' ? thisYear - minRosterAge : thisYear;
      const result = readDate(text, { order: settings.dateOrder, dateSystem, latestYear });
      if ('reason' in result) return result.reason;
      draft[field] = result.date;
      if (field === 'diedOn' && result.date !== null) draft.isDeceased = true;
      break;
    }
    case 'yearAdmitted':
    case 'yearGraduated':
      draft[field] = readYear(text, field === 'yearAdmitted' ? 'first' : 'last', thisYear + maxStudyYears);
      return draft[field] === null ? 'This is not a year. Use 2009 or 2009/10.' : null;
    case 'email':
      return setEmail(draft, text);
    case 'phone':
      return setPhone(draft, text);
    case 'status':
      return setStatus(draft, text);
    case 'isConfidential':
    case 'isDeceased':
      return setFlag(draft, field, text);
  }
  return null;
}

function setFlag(draft: Draft, field: 'isConfidential' | 'isDeceased', text: string): string | null {
  const flag = readFlag(text);
  // A date of death, or a status that implies one, overrides the flag N.
  draft[field] = field === 'isDeceased' && draft.isDeceased ? true : flag;
  return flag === null ? 'This word is not known. Use Y or N.' : null;
}

function setMatricNumber(draft: Draft, text: string): string | null {
  if (isScientific(text))
    return 'Excel has shortened this number, and its last digits are lost. Format the column as text in the original file.';
  // Programs that store numbers with decimals write 20150012.0.
  draft.matricNumber = /^\d+\.0$/u.test(text) ? text.slice(0, -2) : text;
  draft.matricKey = toMatricKey(draft.matricNumber);
  return draft.matricKey === '' ? 'The matric number is blank.' : null;
}

function setEmail(draft: Draft, text: string): string | null {
  const parsed = Email.safeParse(text);
  if (parsed.success) {
    draft.email = parsed.data;
    return null;
  }
  return (text.match(/@/gu)?.length ?? 0) > 1
    ? 'This cell has more than one email address. Keep one.'
    : 'This is not an email address.';
}

function setPhone(draft: Draft, text: string): string | null {
  if (isScientific(text)) return 'Excel has shortened this number, and its last digits are lost.';
  if (!/(?:\d\D*){5}/u.test(text)) return 'This is not a phone number.';
  draft.phone = text.replace(/^(\d+)\.0$/u, '$1');
  return null;
}

function setStatus(draft: Draft, text: string): string | null {
  const status = readStatus(text);
  if (status === null) return 'This status is not known. Use student, graduate, left or deceased.';
  if (status === 'deceased') draft.isDeceased = true;
  else draft.status = status;
  return null;
}

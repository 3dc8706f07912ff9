import { parseCsv } from './csv.ts';
import { RosterFileError } from './roster-file.ts';
import type { TableRow } from './table.ts';
import { readText } from './text.ts';
import { readEntry, type Zip } from './zip-reader.ts';

type ReadRows = () => AsyncGenerator<readonly TableRow[]>;

/** The standard allows only UTF-8 and commas. */
async function* readRecords(zip: Zip, name: string): AsyncGenerator<ReadonlyMap<string, string>> {
  const entry = zip.entries.get(name);
  if (!entry) return;
  let header: readonly string[] | null = null;
  for await (const rows of parseCsv(
    readText(() => readEntry(zip, entry), 'utf-8'),
    ',',
  ))
    for (const { cells } of rows)
      if (header) yield new Map(header.map((heading, at) => [heading, cells[at] ?? '']));
      else header = cells;
}

async function checkManifest(zip: Zip): Promise<void> {
  for await (const record of readRecords(zip, 'manifest.csv')) {
    const [name, value] = [record.get('propertyName') ?? '', record.get('value') ?? ''];
    if (name === 'oneroster.version' && !value.startsWith('1.'))
      throw new RosterFileError(`This is OneRoster version ${value.slice(0, 20)}. Export version 1.2 or CSV.`);
    if (name === 'file.users' && value === 'absent')
      throw new RosterFileError('This OneRoster file has no users. Export it again, with the users.');
  }
}

const isStudent = (role: string): boolean => role.trim().toLowerCase() === 'student';

async function readStudentIds(zip: Zip): Promise<Set<string> | null> {
  if (!zip.entries.has('roles.csv')) return null;
  const ids = new Set<string>();
  for await (const record of readRecords(zip, 'roles.csv'))
    if (isStudent(record.get('role') ?? '')) ids.add(record.get('userSourcedId') ?? '');
  return ids;
}

interface Demographics {
  readonly birthDate: string;
  readonly sex: string;
}

/** Returns birth dates and sexes by the ids of users. Empty if the zip has none. Other demographics are not read. */
async function readDemographics(zip: Zip): Promise<Map<string, Demographics>> {
  const found = new Map<string, Demographics>();
  for await (const record of readRecords(zip, 'demographics.csv')) {
    if (record.get('status') === 'tobedeleted') continue;
    const sex = record.get('sex') ?? '';
    found.set(record.get('sourcedId') ?? '', {
      // Version 1.1 writes `birthdate`.
      birthDate: record.get('birthDate') ?? record.get('birthdate') ?? '',
      // Version 1.2 also has `other` and `unspecified`, which the roster does not store.
      sex: sex === 'male' || sex === 'female' ? sex : '',
    });
  }
  return found;
}

function createDemographicsFiller(demographics: ReadonlyMap<string, Demographics>): (row: TableRow) => TableRow {
  let header: readonly string[] | null = null;
  return (row) => {
    const cells = row.cells;
    header ??= cells;
    if (header === cells) return { ...row, cells: [...cells, 'birthDate', 'sex'] };
    // Rows of another width are reported as damaged.
    if (cells.length !== header.length) return row;
    const { birthDate = '', sex = '' } = demographics.get(cells[header.indexOf('sourcedId')] ?? '') ?? {};
    return { ...row, cells: [...cells, birthDate, sex] };
  };
}

/** Returns whether a OneRoster zip says who is a student: in users.csv (version 1.1) or in roles.csv (1.2). */
export const hasRoles = (zip: Zip, keys: readonly string[]): boolean =>
  keys.includes('role') || zip.entries.has('roles.csv');

/**
 * Returns a function that reads the users of a OneRoster zip with their demographics, without teachers, parents and
 * other people. In a delta, people to be deleted may have no role; they stay, so that the import marks them.
 * @param readUsers reads all rows of users.csv
 */
export async function readStudents(zip: Zip, readUsers: ReadRows): Promise<ReadRows> {
  await checkManifest(zip);
  const studentIds = await readStudentIds(zip);
  const demographics = await readDemographics(zip);
  return async function* () {
    const fill = demographics.size > 0 ? createDemographicsFiller(demographics) : null;
    let columns: { id: number; role: number; status: number } | null = null;
    for await (const rows of readUsers()) {
      const kept: TableRow[] = [];
      for (const row of rows) {
        const { cells } = row;
        if (!columns) {
          columns = { id: cells.indexOf('sourcedId'), role: cells.indexOf('role'), status: cells.indexOf('status') };
          kept.push(row);
        } else if (
          cells[columns.status] === 'tobedeleted' ||
          (columns.role >= 0
            ? isStudent(cells[columns.role] ?? '')
            : (studentIds?.has(cells[columns.id] ?? '') ?? true))
        )
          kept.push(row);
      }
      yield fill ? kept.map(fill) : kept;
    }
  };
}

import { createReadStream } from 'node:fs';
import { parseCsv } from './csv.ts';
import type { DetectedKind } from './detect-kind.ts';
import type { Header } from './header.ts';
import { readStudents } from './one-roster.ts';
import { RosterFileError, type RosterSettings } from './roster-file.ts';
import { linesPerSheet, readLike } from './sheets.ts';
import type { Table, TableRow } from './table.ts';
import { readText, type OpenBytes } from './text.ts';
import { readSheet } from './xlsx-sheet.ts';
import type { Workbook } from './xlsx-workbook.ts';
import { readEntry, type Zip } from './zip-reader.ts';

export type TableSettings = Pick<RosterSettings, 'encoding' | 'delimiter' | 'sheets'>;

const readBytes = 256 * 1024;

export function openCsvBytes(path: string, detected: DetectedKind): OpenBytes {
  if (detected.kind === 'csv') return () => createReadStream(path, { highWaterMark: readBytes });
  return openZipEntry(requireZip(detected), 'users.csv');
}

const requireZip = (detected: DetectedKind): Zip => {
  if (detected.kind === 'csv') throw new TypeError('A CSV file is not a zip');
  return detected.zip;
};

function openZipEntry(zip: Zip, name: string): OpenBytes {
  const entry = zip.entries.get(name);
  if (!entry) throw new RosterFileError(`This OneRoster file has no ${name}. Export it again, with the users.`);
  return () => readEntry(zip, entry);
}

/** Opens a CSV file, or the first of the chosen sheets. */
export async function openTable(
  path: string,
  detected: DetectedKind,
  settings: TableSettings,
  workbook: Workbook | null,
): Promise<Table> {
  if (detected.kind === 'xlsx') return openSheet(detected.zip, workbook, settings.sheets[0]);
  const { encoding, delimiter } = settings;
  if (!encoding || !delimiter) throw new RosterFileError('Choose the encoding and the delimiter of this file.');
  const open = openCsvBytes(path, detected);
  const readRows = () => parseCsv(readText(open, encoding), delimiter);
  return {
    dateSystem: 1900,
    hasFixedWidth: true,
    readRows: detected.kind === 'oneroster' ? await readStudents(detected.zip, readRows) : readRows,
  };
}

/** Adds the rows of the other chosen sheets. @param header of the first one */
export function openAllSheets(
  first: Table,
  header: Header,
  { detected, settings, workbook }: { detected: DetectedKind; settings: TableSettings; workbook: Workbook | null },
): Table {
  const [firstName = '', ...others] = settings.sheets;
  if (others.length === 0) return first;
  const tables = others.map((name) => ({ name, table: openSheet(requireZip(detected), workbook, name) }));
  return {
    ...first,
    async *readRows() {
      yield* first.readRows();
      for (const [at, { name, table }] of tables.entries())
        yield* readLike(table, { name, like: { name: firstName, header }, lineOffset: (at + 1) * linesPerSheet });
    },
  };
}

export function openSheet(zip: Zip, workbook: Workbook | null, name: string | undefined): Table {
  const sheet = workbook?.sheets.find((sheet) => sheet.name === name);
  if (!workbook || !sheet)
    throw new RosterFileError(`This file has no sheet named “${name ?? ''}”. Choose another sheet.`);
  return {
    dateSystem: workbook.dateSystem,
    hasFixedWidth: false,
    readRows: () => readSheet(zip, workbook, sheet.path),
  };
}

export async function readSample(table: Table, count: number): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for await (const batch of table.readRows()) {
    rows.push(...batch);
    if (rows.length >= count) break;
  }
  return rows;
}

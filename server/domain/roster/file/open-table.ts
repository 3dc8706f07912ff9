import { createReadStream } from 'node:fs';
import { parseCsv } from './csv.ts';
import type { DetectedKind } from './detect-kind.ts';
import { readStudents } from './one-roster.ts';
import { RosterFileError, type RosterSettings } from './roster-file.ts';
import type { Table, TableRow } from './table.ts';
import { readText, type OpenBytes } from './text.ts';
import { readSheet } from './xlsx-sheet.ts';
import type { Workbook } from './xlsx-workbook.ts';
import { readEntry, type Zip } from './zip-reader.ts';

export type TableSettings = Pick<RosterSettings, 'encoding' | 'delimiter' | 'sheet'>;

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

export async function openTable(
  path: string,
  detected: DetectedKind,
  settings: TableSettings,
  workbook: Workbook | null,
): Promise<Table> {
  if (detected.kind === 'xlsx') return openSheet(detected.zip, workbook, settings.sheet);
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

function openSheet(zip: Zip, workbook: Workbook | null, name: string | null): Table {
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

import { readBody } from './body.ts';
import { detectKind } from './detect-kind.ts';
import { toHeader } from './header.ts';
import { findMissingFields, toMappedColumns } from './mapping.ts';
import { openAllSheets, openTable } from './open-table.ts';
import { RosterFileError, type RosterSettings } from './roster-file.ts';
import type { RowBatch } from './roster-row.ts';
import type { Table } from './table.ts';
import { createRowValidator } from './validate-row.ts';
import { readWorkbook } from './xlsx-workbook.ts';

/**
 * Reads the rows of a roster file in order, in batches, with constant memory except for the shared texts of XLSX.
 * @param settings from `readRosterFile`
 * @throws RosterFileError if the file cannot be read, or the settings lack a required field
 */
export async function* readRosterRows(path: string, settings: RosterSettings): AsyncGenerator<RowBatch> {
  const detected = await detectKind(path);
  const workbook = detected.kind === 'xlsx' ? await readWorkbook(detected.zip) : null;
  const first = await openTable(path, detected, settings, workbook);
  const header = toHeader(await findRow(first, settings.headerLine));
  const table = openAllSheets(first, header, { detected, settings, workbook });
  const columns = toMappedColumns(header, settings.mapping);
  const missing = findMissingFields(columns.map(({ field }) => field));
  if (missing.length > 0)
    throw new RosterFileError(
      'Choose the column of the matric number, and the column of the last name or the full name.',
    );
  const validate = createRowValidator({
    columns,
    settings,
    dateSystem: table.dateSystem,
    thisYear: new Date().getUTCFullYear(),
  });
  for await (const batch of readBody(table, header)) {
    const { rows, errors }: RowBatch = { rows: [], errors: [] };
    for (const { row, problem } of batch) {
      if (problem !== null) {
        const value = row.cells.join(' | ').slice(0, 100);
        errors.push({ line: row.line, column: null, value, reason: problem, isRowSkipped: true });
        continue;
      }
      const valid = validate(row, errors);
      if (valid) rows.push(valid);
    }
    yield { rows, errors };
  }
}

async function findRow(table: Table, line: number) {
  for await (const rows of table.readRows()) {
    const found = rows.find((row) => row.line >= line);
    if (found?.line === line) return found;
    if (found) break;
  }
  throw new RosterFileError(`Row ${line} of this file is blank, so it cannot be the header.`);
}

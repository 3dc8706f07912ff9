import { fromSerial } from './dates.ts';
import { RosterFileError } from './roster-file.ts';
import { maxColumns, type TableRow } from './table.ts';
import { createXmlParser, unescapeText, type Attributes, type Workbook } from './xlsx-workbook.ts';
import { readEntry, type Zip } from './zip-reader.ts';

/** Text of a formula cell without a stored result, which some programs write. Looks like the errors of Excel. */
const missingResult = '#RESULT!';

/** Merged cells of one column: the first row has the value. Row numbers from 1, column numbers from 0. */
interface MergedCells {
  readonly column: number;
  readonly firstRow: number;
  readonly lastRow: number;
}

export async function* readSheet(zip: Zip, workbook: Workbook, path: string): AsyncGenerator<TableRow[]> {
  const entry = zip.entries.get(path);
  if (!entry) throw new RosterFileError('This Excel file is damaged: the sheet is missing.');
  const merged = await readMergedCells(zip, path);
  const reader = createRowReader(workbook, merged);
  const decoder = new TextDecoder();
  for await (const chunk of readEntry(zip, entry)) {
    reader.write(decoder.decode(chunk, { stream: true }));
    const rows = reader.takeRows();
    if (rows.length > 0) yield rows;
  }
  reader.close();
  const rows = reader.takeRows();
  if (rows.length > 0) yield rows;
}

function createRowReader(workbook: Workbook, merged: readonly MergedCells[]) {
  let rows: TableRow[] = [];
  let line = 0;
  let cells: string[] = [];
  let column = -1;
  let cell: Attributes = {};
  let value = '';
  let hasFormula = false;
  let isValue = false;
  const fillMerged = createMergedFiller(merged);
  const parser = createXmlParser({
    open: (name, attributes) => {
      if (name === 'row') {
        line = readNumber(attributes['r']) ?? line + 1;
        cells = [];
        column = -1;
      } else if (name === 'c') {
        column = readColumn(attributes['r']) ?? column + 1;
        cell = attributes;
        value = '';
        hasFormula = false;
      } else if (name === 'v' || name === 't') isValue = true;
      else if (name === 'f') hasFormula = true;
    },
    text: (text) => {
      if (isValue) value += text;
    },
    close: (name) => {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'c') setCell(cells, column, readCell(cell, value, hasFormula, workbook));
      else if (name === 'row') {
        fillMerged(cells, line);
        rows.push({ line, cells });
      }
    },
  });
  return {
    write: (text: string) => {
      parser.write(text);
    },
    close: () => {
      parser.close();
    },
    takeRows: (): TableRow[] => {
      const taken = rows;
      rows = [];
      return taken;
    },
  };
}

function setCell(cells: string[], column: number, value: string): void {
  if (value === '') return;
  if (column >= maxColumns)
    throw new RosterFileError(
      `This sheet has more than ${maxColumns} columns. Delete the columns that are not needed, also those far to the right.`,
    );
  while (cells.length < column) cells.push('');
  cells[column] = value;
}

function readCell(cell: Attributes, value: string, hasFormula: boolean, workbook: Workbook): string {
  if (hasFormula && value === '' && cell['t'] !== 'str') return missingResult;
  switch (cell['t'] ?? 'n') {
    case 's':
      return workbook.sharedStrings[Number(value)] ?? '';
    case 'n':
      return readNumberCell(value, workbook.dateStyles[Number(cell['s'] ?? 0)] ?? false, workbook.dateSystem);
    case 'b':
      return value === '1' ? 'TRUE' : 'FALSE';
    case 'd':
      return value.slice(0, 10);
    default:
      return unescapeText(value);
  }
}

function readNumberCell(value: string, isDate: boolean, dateSystem: 1900 | 1904): string {
  const number = Number(value);
  if (value === '' || Number.isNaN(number)) return value;
  if (isDate) return fromSerial(number, dateSystem) ?? value;
  // Excel keeps 15 digits. This form is reported as a number that has lost digits.
  return Math.abs(number) >= 1e15 ? number.toExponential().toUpperCase() : String(number);
}

const readNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,7}$/u.test(text) ? Number(text) : null;

function readColumn(name: string | undefined): number | null {
  const letters = /^([A-Z]{1,3})\d/u.exec(name ?? '')?.[1];
  if (!letters) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + (letter.codePointAt(0) ?? 0) - 64;
  return column - 1;
}

const maxMergedCells = 10_000;

/**
 * Returns the cells that are merged across rows. They are listed after the rows, so this searches the text of the whole
 * sheet, which takes a tenth of the time of parsing it.
 */
async function readMergedCells(zip: Zip, path: string): Promise<MergedCells[]> {
  const entry = zip.entries.get(path);
  const merged: MergedCells[] = [];
  if (!entry) return merged;
  let rest = '';
  for await (const chunk of readEntry(zip, entry)) {
    const text = rest + chunk.toString('latin1');
    for (const [, from = '', to = ''] of text.matchAll(/<(?:\w+:)?mergeCell\s[^<>]*?ref="([A-Z]+\d+):([A-Z]+\d+)"/gu)) {
      const [firstRow, lastRow] = [Number(from.replace(/\D+/u, '')), Number(to.replace(/\D+/u, ''))];
      if (lastRow > firstRow) merged.push({ column: readColumn(from) ?? 0, firstRow, lastRow });
    }
    if (merged.length > maxMergedCells)
      throw new RosterFileError(
        `This sheet has more than ${maxMergedCells} merged cells. Unmerge them, fill in the values, and upload the file again.`,
      );
    // A tag may continue in the next chunk. A complete tag must not be found twice.
    const lastTag = text.lastIndexOf('<');
    rest = lastTag >= 0 && !text.includes('>', lastTag) ? text.slice(lastTag).slice(0, 1_000) : '';
  }
  return merged;
}

function createMergedFiller(merged: readonly MergedCells[]): (cells: string[], line: number) => void {
  const waiting = merged.toSorted((a, b) => a.firstRow - b.firstRow);
  const current = new Map<number, { range: MergedCells; value: string }>();
  let next = 0;
  return (cells, line) => {
    for (const [column, { range, value }] of current)
      if (range.lastRow < line) current.delete(column);
      else if (!cells[column]) setCell(cells, column, value);
    for (; next < waiting.length; next++) {
      const range = waiting[next];
      if (!range || range.firstRow > line) break;
      if (range.firstRow === line) current.set(range.column, { range, value: cells[range.column] ?? '' });
    }
  };
}

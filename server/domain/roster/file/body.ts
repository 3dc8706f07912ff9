import type { Header } from './header.ts';
import { isBlankRow, trimEnd, type Table, type TableRow } from './table.ts';

interface BodyRow {
  readonly row: TableRow;
  readonly problem: string | null;
  readonly isShort: boolean;
}

export async function* readBody(table: Table, header: Header): AsyncGenerator<BodyRow[]> {
  // Blank headings at the end stand for no column.
  const width = trimEnd(header.cells).length;
  const isHeader = ({ cells }: TableRow) =>
    cells[0] === header.cells[0] && header.cells.every((cell, at) => (cells[at] ?? '') === cell);
  for await (const rows of table.readRows()) {
    const batch: BodyRow[] = [];
    for (const row of rows) {
      if (row.line <= header.line || isBlankRow(row) || isHeader(row)) continue;
      const isShort = table.hasFixedWidth && row.cells.length < width;
      batch.push({ row, problem: findProblem(row, header, table.hasFixedWidth, isShort ? width : null), isShort });
    }
    yield batch;
  }
}

function findProblem(row: TableRow, header: Header, hasFixedWidth: boolean, missing: number | null): string | null {
  const { cells, damage } = row;
  if (damage === 'nul') return 'This row has NUL characters, which text never contains. The file may be damaged.';
  if (damage === 'quotes') return 'The quotation marks of this row do not match, so its columns may be wrong.';
  if (missing !== null)
    return `This row has ${countCells(cells.length)}, but the header has ${missing}. It may be cut off.`;
  if (hasFixedWidth && cells.slice(header.cells.length).some((cell) => cell.trim() !== ''))
    return `This row has ${countCells(trimEnd(cells).length)}, but the header has ${header.cells.length}. Put quotation marks around cells that contain the delimiter.`;
  return null;
}

const countCells = (count: number): string => `${count} ${count === 1 ? 'cell' : 'cells'}`;

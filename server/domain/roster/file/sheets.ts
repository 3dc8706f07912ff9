import { type Sheet, describeDifference, foldHeading } from '#contract/roster-values.ts';
import { type Header, findHeader, maxTitleRows, toHeader } from './header.ts';
import { RosterFileError } from './roster-file.ts';
import { isBlankRow, type Table, type TableRow } from './table.ts';

/** Row numbers of the second sheet begin above this, of the third above twice this. A sheet has 1,048,576 rows at most. */
export const linesPerSheet = 10_000_000;

/** @param sheets those that are read */
export const formatLine = (line: number, sheets: readonly string[]): string =>
  sheets.length > 1 ? `${line % linesPerSheet} (${sheets[Math.floor(line / linesPerSheet)] ?? ''})` : String(line);

/** Returns the headings of a sheet, none if no row looks like them. Null if the sheet is blank. */
export function findHeadings(sample: readonly TableRow[]): string[] | null {
  if (sample.every(isBlankRow)) return null;
  try {
    return toHeadings(findHeader(sample));
  } catch (error) {
    if (error instanceof RosterFileError) return [];
    throw error;
  }
}

const toHeadings = ({ keys, cells }: Header): string[] => keys.filter((_, at) => (cells[at] ?? '').trim() !== '');

/**
 * Reads the rows below the header of a sheet, with their cells in the order of another sheet.
 * @throws RosterFileError if the headings differ
 */
export async function* readLike(
  table: Table,
  { name, like, lineOffset }: { name: string; like: { name: string; header: Header }; lineOffset: number },
): AsyncGenerator<TableRow[]> {
  const wanted: Sheet = { name: like.name, headings: toHeadings(like.header) };
  const titles: TableRow[] = [];
  let order: number[] | null = null;
  for await (const rows of table.readRows()) {
    const read: TableRow[] = [];
    for (const row of rows)
      if (order) read.push({ line: lineOffset + row.line, cells: order.map((at) => row.cells[at] ?? '') });
      else {
        const header = toHeader(row);
        titles.push(row);
        if (describeDifference(wanted, { name, headings: toHeadings(header) }) === null) {
          const keys = header.keys.map(foldHeading);
          order = like.header.keys.map((key) => keys.indexOf(foldHeading(key)));
        } else if (titles.length === maxTitleRows) break;
      }
    if (!order && titles.length === maxTitleRows) break;
    yield read;
  }
  if (!order)
    throw new RosterFileError(describeDifference(wanted, { name, headings: findHeadings(titles) ?? [] }) ?? '');
}

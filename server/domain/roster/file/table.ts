export interface TableRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the cells of this CSV record cannot be trusted: its quotation marks do not match, or it has NUL characters. */
  readonly damage?: 'quotes' | 'nul';
}

export interface Table {
  readonly dateSystem: 1900 | 1904;
  /** Whether each row has as many cells as the header. XLSX leaves out blank cells. */
  readonly hasFixedWidth: boolean;
  readonly readRows: () => AsyncGenerator<readonly TableRow[]>;
}

/** Maximum number of columns. A file with more is not a table of people, or has a wrong delimiter. */
export const maxColumns = 1_000;

export const isBlankRow = (row: TableRow): boolean => row.cells.every((cell) => cell.trim() === '');

export function trimEnd(cells: readonly string[]): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== '');
  return cells.slice(0, last + 1);
}

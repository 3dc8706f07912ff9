import { strToU8, zipSync } from 'fflate';

export type SheetCell = string | number | null | { readonly attributes: string; readonly xml: string };

export interface SheetSpec {
  readonly name: string;
  readonly rows: readonly (readonly SheetCell[])[];
  readonly isHidden?: boolean;
  readonly merged?: readonly string[];
}

export interface WorkbookSpec {
  readonly sheets: readonly SheetSpec[];
  readonly dateSystem?: 1900 | 1904;
  readonly parts?: Readonly<Record<string, string>>;
}

export const dateStyle = 1;

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const columnName = (at: number): string =>
  at < 26 ? String.fromCodePoint(65 + at) : columnName(Math.floor(at / 26) - 1) + columnName(at % 26);

export const dateCell = (serial: number): SheetCell => ({ attributes: `s="${dateStyle}"`, xml: `<v>${serial}</v>` });

function toSheetXml({ rows, merged = [] }: SheetSpec, shared: string[]): string {
  const toCell = (cell: SheetCell, name: string) => {
    if (cell === null) return '';
    if (typeof cell === 'number') return `<c r="${name}"><v>${cell}</v></c>`;
    if (typeof cell === 'object') return `<c r="${name}" ${cell.attributes}>${cell.xml}</c>`;
    return `<c r="${name}" t="s"><v>${shared.push(cell) - 1}</v></c>`;
  };
  const data = rows.map(
    (cells, row) =>
      `<row r="${row + 1}">${cells.map((cell, at) => toCell(cell, `${columnName(at)}${row + 1}`)).join('')}</row>`,
  );
  const merges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('');
  return `<worksheet><sheetData>${data.join('')}</sheetData>${merges && `<mergeCells>${merges}</mergeCells>`}</worksheet>`;
}

export function toWorkbookParts({ sheets, dateSystem = 1900, parts = {} }: WorkbookSpec): Record<string, string> {
  const shared: string[] = [];
  const sheetXml = sheets.map((sheet) => toSheetXml(sheet, shared));
  const list = sheets.map(
    ({ name, isHidden }, at) =>
      `<sheet name="${escape(name)}" sheetId="${at + 1}" ${isHidden ? 'state="hidden" ' : ''}r:id="rId${at + 1}"/>`,
  );
  const targets = sheets.map((_, at) => `<Relationship Id="rId${at + 1}" Target="worksheets/sheet${at + 1}.xml"/>`);
  return {
    'xl/workbook.xml': `<workbook xmlns:r="r"><workbookPr date1904="${dateSystem === 1904 ? 1 : 0}"/><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets.join('')}</Relationships>`,
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>',
    'xl/sharedStrings.xml': `<sst>${shared.map((text) => `<si><t>${escape(text)}</t></si>`).join('')}</sst>`,
    ...Object.fromEntries(sheetXml.map((xml, at) => [`xl/worksheets/sheet${at + 1}.xml`, xml])),
    ...parts,
  };
}

export const toZip = (parts: Readonly<Record<string, string>>): Buffer =>
  Buffer.from(zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)]))));

export const toXlsx = (workbook: WorkbookSpec): Buffer => toZip(toWorkbookParts(workbook));

export const toXlsxOfRows = (rows: SheetSpec['rows']): Buffer => toXlsx({ sheets: [{ name: 'Sheet1', rows }] });

export const toOneRoster = (files: Readonly<Record<string, string>>, version = '1.2'): Buffer =>
  toZip({ 'manifest.csv': `propertyName,value\r\noneroster.version,${version}\r\nfile.users,bulk\r\n`, ...files });

import { createReadStream } from 'node:fs';
import { RosterFileError, type RosterFile } from './roster-file.ts';
import { readStart } from './text.ts';
import { openZip, type Zip } from './zip-reader.ts';

const saveAsCsv =
  'Open it in Excel or LibreOffice, choose “File”, “Save as”, the type “CSV UTF-8 (comma delimited)”, and upload the new file.';

const refusedFormats: readonly (readonly [RegExp, string])[] = [
  [/^25504446/u, 'This is a PDF, which has no rows and columns. Ask for the list as XLSX or CSV.'],
  [
    // PNG, JPEG, GIF, BMP, TIFF (both byte orders), WebP, and the HEIF family.
    /^(?:89504e47|ffd8ff|47494638|424d.{8}0{8}|49492a00|4d4d002a|52494646.{8}57454250|.{8}66747970(?:686569|6d6966|61766966))/u,
    'This is a picture, which has no rows and columns. Ask for the list as XLSX or CSV.',
  ],
  // gzip, bzip2, 7-Zip, RAR, xz.
  [/^(?:1f8b|425a68|377abcaf|52617221|fd377a58)/u, 'This is a compressed file. Unpack it and upload the file inside.'],
  [/^7b5c727466/u, 'This is a text document (RTF). Ask for the list as XLSX or CSV.'],
  // SQLite and Access.
  [/^(?:53514c69746520666f|000100005374616e64617264)/u, 'This is a database. Export the table of students as CSV.'],
];

const refusedTexts: readonly (readonly [RegExp, string])[] = [
  [
    /^<(?:!doctype html|html|head|body|table|meta|style|div|!--)/iu,
    `This is a web page, although its name may end in .xls. ${saveAsCsv}`,
  ],
  [/^<\?xml[^]*?<(?:\w+:)?Workbook\b/u, `This is an XML spreadsheet of 2003. ${saveAsCsv}`],
  [/^<(?:\?xml|\w+[\s>])/u, 'This is an XML file. Ask for the list as XLSX or CSV.'],
  [/^(?:\{\s*"|\[\s*[{["]|\{\s*\})/u, 'This is a JSON file. Ask for the list as XLSX or CSV.'],
];

const refusedOleFiles: readonly (readonly [string, string])[] = [
  ['EncryptedPackage', 'This file is protected by a password. Save it without a password and upload it again.'],
  ['WordDocument', 'This is a Word document. Ask for the list as XLSX or CSV.'],
  ['PowerPoint Document', 'This is a presentation. Ask for the list as XLSX or CSV.'],
];

export type DetectedKind =
  | { readonly kind: 'csv' }
  | { readonly kind: Exclude<RosterFile['kind'], 'csv'>; readonly zip: Zip };

/**
 * Detects the format of a file by its content. The file name is ignored.
 * @throws RosterFileError for formats that cannot be read, with what to do instead
 */
export async function detectKind(path: string): Promise<DetectedKind> {
  const start = await readStart(() => createReadStream(path));
  if (start.length === 0) throw new RosterFileError('This file is empty.');
  const head = start.toString('latin1', 0, 4_096);
  const hex = start.toString('hex', 0, 32);
  if (/^504b(?:0304|0506)/u.test(hex)) return detectZip(await openZip(path));
  if (hex.startsWith('d0cf11e0')) throw await describeOleFile(path);
  refuse(hex, refusedFormats);
  refuse(
    head
      .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/u, '')
      .replaceAll('\0', '')
      .trimStart(),
    refusedTexts,
  );
  return { kind: 'csv' };
}

function refuse(start: string, formats: readonly (readonly [RegExp, string])[]): void {
  const refused = formats.find(([pattern]) => pattern.test(start));
  if (refused) throw new RosterFileError(refused[1]);
}

async function describeOleFile(path: string): Promise<RosterFileError> {
  const content = await readStart(() => createReadStream(path), 100 * 1024 * 1024);
  const refused = refusedOleFiles.find(([name]) => content.includes(name, 0, 'utf16le'));
  return new RosterFileError(refused?.[1] ?? `This is an old Excel file (.xls). ${saveAsCsv}`);
}

function detectZip(zip: Zip): DetectedKind {
  const has = (name: string) => zip.entries.has(name);
  if (has('xl/workbook.xml')) return { kind: 'xlsx', zip };
  if (has('manifest.csv')) return { kind: 'oneroster', zip };
  if (has('xl/workbook.bin')) throw new RosterFileError(`This is a binary Excel file (.xlsb). ${saveAsCsv}`);
  if (has('word/document.xml')) throw new RosterFileError('This is a Word document. Ask for the list as XLSX or CSV.');
  if (has('ppt/presentation.xml'))
    throw new RosterFileError('This is a presentation. Ask for the list as XLSX or CSV.');
  if (has('mimetype') && has('content.xml')) throw new RosterFileError(`This is an OpenDocument file. ${saveAsCsv}`);
  if (has('Index/Document.iwa'))
    throw new RosterFileError('This is an Apple Numbers file. In Numbers, choose “File”, “Export to”, “CSV”.');
  throw new RosterFileError(
    'This zip is neither an Excel file nor OneRoster. Unpack it and upload the XLSX or CSV file inside.',
  );
}

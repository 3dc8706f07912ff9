import { toOneRoster, toXlsx, toXlsxOfRows, toZip } from '../testing.ts';

const heading = ['MATRIC NO', 'SURNAME', 'DEPARTMENT'];
const person = ['CSC/15/0012', 'Adeyemi', 'Physics'];
const plainXlsx = () => toXlsxOfRows([heading, person]);

function declareSize(xlsx: Buffer, size: number, part = 'xl/worksheets/sheet1.xml'): Buffer {
  const entry = findDirectoryEntry(xlsx, part);
  xlsx.writeUInt32LE(size, entry + 24);
  return xlsx;
}

function findDirectoryEntry(zip: Buffer, name: string): number {
  return zip.lastIndexOf(name) - 46;
}

function encryptEntry(xlsx: Buffer): Buffer {
  const entry = findDirectoryEntry(xlsx, 'xl/worksheets/sheet1.xml');
  xlsx.writeUInt16LE(1, entry + 8);
  return xlsx;
}

function changeChecksum(xlsx: Buffer): Buffer {
  const at = findDirectoryEntry(xlsx, 'xl/worksheets/sheet1.xml') + 16;
  xlsx.writeUInt32LE((xlsx.readUInt32LE(at) ^ 1) >>> 0, at);
  return xlsx;
}

const entityBomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<sst><si><t>&b;</t></si></sst>`;

const users = 'sourcedId,status,givenName,familyName,email\r\nu1,,Olu,Adeyemi,olu@example.edu\r\n';

export const generatedFiles: Readonly<Record<string, () => Buffer>> = {
  'zip-with-csv.zip': () => toZip({ 'students.csv': 'MATRIC NO,SURNAME\n' }),
  'document.docx': () => toZip({ 'word/document.xml': '<document/>' }),
  'presentation.pptx': () => toZip({ 'ppt/presentation.xml': '<presentation/>' }),
  'open-document.ods': () =>
    toZip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<office/>' }),
  'binary.xlsb': () => toZip({ 'xl/workbook.bin': 'x' }),
  'apple.numbers': () => toZip({ 'Index/Document.iwa': 'x' }),
  'cut-off.xlsx': () => plainXlsx().subarray(0, 900),
  'changed-bit.xlsx': () => changeChecksum(plainXlsx()),
  'declared-zip-bomb.xlsx': () => declareSize(plainXlsx(), 900 * 1024 * 1024),
  'hidden-zip-bomb.xlsx': () => declareSize(plainXlsx(), 100),
  'many-texts.xlsx': () => declareSize(plainXlsx(), 65 * 1024 * 1024, 'xl/sharedStrings.xml'),
  'encrypted-entry.xlsx': () => encryptEntry(plainXlsx()),
  'entity-bomb.xlsx': () =>
    toXlsx({ sheets: [{ name: 'Sheet1', rows: [heading, person] }], parts: { 'xl/sharedStrings.xml': entityBomb } }),
  'broken-xml.xlsx': () =>
    toXlsx({
      sheets: [{ name: 'Sheet1', rows: [heading, person] }],
      parts: { 'xl/worksheets/sheet1.xml': '<worksheet><sheetData><row><c></row></sheetData></worksheet>' },
    }),
  'deep-xml.xlsx': () =>
    toXlsx({
      sheets: [{ name: 'Sheet1', rows: [heading, person] }],
      parts: { 'xl/worksheets/sheet1.xml': `<worksheet>${'<a>'.repeat(1_000_000)}` },
    }),
  'open-merge-tags.xlsx': () =>
    toXlsx({
      sheets: [{ name: 'Sheet1', rows: [heading, person] }],
      parts: { 'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${'<mergeCell '.repeat(2_000_000)}` },
    }),
  'open-brackets.xlsx': () =>
    toXlsx({
      sheets: [{ name: 'Sheet1', rows: [heading, person] }],
      parts: {
        'xl/styles.xml': `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="${'['.repeat(1_000_000)}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
      },
    }),
  'overlapping-merged-cells.xlsx': () =>
    toXlsx({
      sheets: [
        {
          name: 'Sheet1',
          rows: [heading, ...Array.from({ length: 5_000 }, (_, at) => [`A/${at}`, 'Adeyemi'])],
          merged: Array.from({ length: 9_999 }, () => 'C2:C1048576'),
        },
      ],
    }),
  'open-parentheses.csv': () => Buffer.from(`MATRIC NO,SURNAME,${'('.repeat(1_000_000)}\nA/1,Adeyemi,x\n`),
  'many-quotes.csv': () => Buffer.from(`MATRIC NO,SURNAME\nA/1,"${'a"b'.repeat(600_000)}\n`),
  'only-commas.csv': () => Buffer.from(','.repeat(5_000_000)),
  'blank-sheets.xlsx': () =>
    toXlsx({
      sheets: [
        { name: 'Sheet1', rows: [] },
        { name: 'Sheet2', rows: [[' ']] },
      ],
    }),
  'hidden-sheets.xlsx': () => toXlsx({ sheets: [{ name: 'Sheet1', rows: [heading, person], isHidden: true }] }),
  'wrong-sheet.xlsx': plainXlsx,
  'too-many-columns.xlsx': () => toXlsxOfRows([heading, [...Array.from({ length: 1_100 }, () => null), 'x']]),
  'too-many-columns.csv': () => Buffer.from(`${Array.from({ length: 1_200 }, (_, at) => `C${at}`).join(',')}\n1,2\n`),
  'several-sheets.xlsx': () =>
    toXlsx({
      sheets: [
        { name: 'Notes', rows: [['Prepared by the registry']] },
        { name: 'Graduates', rows: [heading, person] },
      ],
    }),
  'rounded-numbers.xlsx': () => toXlsxOfRows([heading, [20_150_012_000_123_456, 'Adeyemi', 'Physics']]),
  'formula-without-result.xlsx': () =>
    toXlsxOfRows([heading, [{ attributes: '', xml: '<f>A1&amp;B1</f>' }, 'Adeyemi', 'Physics']]),
  'long-cell.csv': () => Buffer.from(`MATRIC NO,SURNAME,DEPARTMENT\nA/1,Adeyemi,${'x'.repeat(1_048_576)}\n`),
  'no-line-breaks.csv': () => Buffer.from(`MATRIC NO,SURNAME,DEPARTMENT\n${'A/1,Adeyemi,'.repeat(300_000)}`),
  'no-users.zip': () => toOneRoster({ 'orgs.csv': 'sourcedId\r\n' }),
  'absent-users.zip': () =>
    toZip({ 'manifest.csv': 'propertyName,value\r\nfile.users,absent\r\n', 'users.csv': users }),
  'one-roster-2.zip': () => toOneRoster({ 'users.csv': users }, '2.0'),
  'no-roles.zip': () => toOneRoster({ 'users.csv': users }),
};

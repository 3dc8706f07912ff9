import { SaxesParser } from 'saxes';
import { RosterFileError } from './roster-file.ts';
import { readEntry, type Zip } from './zip-reader.ts';

export interface Workbook {
  readonly dateSystem: 1900 | 1904;
  readonly sheets: readonly { readonly name: string; readonly path: string }[];
  readonly sharedStrings: readonly string[];
  readonly dateStyles: readonly boolean[];
}

export type Attributes = Readonly<Record<string, string>>;

interface XmlHandlers {
  readonly open?: (name: string, attributes: Attributes) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
  /** Called after each chunk. If it returns true, reading stops. */
  readonly isDone?: () => boolean;
}

/** Maximum size of the texts that a workbook shares between cells, in bytes. In memory they take 2.5 times as much. */
const maxSharedStringsBytes = 64 * 1024 * 1024;

/** Maximum number of open XML tags. Excel needs about 10. */
const maxXmlDepth = 256;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Creates an XML parser that calls the handlers with names without prefix. Entities other than the five of XML are
 * errors.
 */
export function createXmlParser({ open, text, close }: XmlHandlers): SaxesParser {
  const parser = new SaxesParser({ position: false });
  const refuse = () => {
    throw new RosterFileError(
      'This Excel file is damaged: a part of it is not valid XML. Open it in Excel, save it under a new name, and upload that file.',
    );
  };
  parser.on('error', refuse);
  let depth = 0;
  parser.on('opentag', (tag) => {
    // The parser keeps all open tags in memory.
    if (++depth > maxXmlDepth) refuse();
    open?.(localName(tag.name), tag.attributes as Attributes);
  });
  if (text) parser.on('text', text);
  parser.on('closetag', (tag) => {
    depth--;
    close?.(localName(tag.name));
  });
  return parser;
}

async function parseXml(zip: Zip, path: string, handlers: XmlHandlers): Promise<void> {
  const entry = zip.entries.get(path);
  if (!entry) return;
  const parser = createXmlParser(handlers);
  const decoder = new TextDecoder();
  for await (const chunk of readEntry(zip, entry)) parser.write(decoder.decode(chunk, { stream: true }));
  parser.write(decoder.decode());
  parser.close();
}

export async function readWorkbook(zip: Zip): Promise<Workbook> {
  const targets = await readTargets(zip);
  const sheets: { name: string; path: string }[] = [];
  let dateSystem: 1900 | 1904 = 1900;
  await parseXml(zip, 'xl/workbook.xml', {
    open: (name, attributes) => {
      if (name === 'workbookPr' && /^(?:1|true)$/u.test(attributes['date1904'] ?? '')) dateSystem = 1904;
      if (name !== 'sheet' || (attributes['state'] ?? 'visible') !== 'visible') return;
      const path = targets.get(findRelation(attributes)) ?? `xl/worksheets/sheet${sheets.length + 1}.xml`;
      if (zip.entries.has(path)) sheets.push({ name: attributes['name'] ?? `Sheet ${sheets.length + 1}`, path });
    },
  });
  if (sheets.length === 0) throw new RosterFileError('This Excel file has no visible sheet with cells.');
  return { dateSystem, sheets, sharedStrings: await readSharedStrings(zip), dateStyles: await readDateStyles(zip) };
}

/** Returns the id of the part that an element refers to. Its prefix is `r` in files of Excel, and others elsewhere. */
const findRelation = (attributes: Attributes): string =>
  Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? '';

async function readTargets(zip: Zip): Promise<Map<string, string>> {
  const targets = new Map<string, string>();
  await parseXml(zip, 'xl/_rels/workbook.xml.rels', {
    open: (name, { Id = '', Target = '' }) => {
      if (name === 'Relationship') targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`);
    },
  });
  return targets;
}

async function readSharedStrings(zip: Zip): Promise<string[]> {
  const path = 'xl/sharedStrings.xml';
  if ((zip.entries.get(path)?.size ?? 0) > maxSharedStringsBytes)
    throw new RosterFileError(
      'This Excel file is too large to be read at once. Save the sheet as “CSV UTF-8” and upload that file.',
    );
  const strings: string[] = [];
  let current = '';
  let isText = false;
  // Furigana of Japanese texts is not part of the value.
  let isPhonetic = false;
  await parseXml(zip, path, {
    open: (name) => {
      if (name === 'si') current = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isText = !isPhonetic;
    },
    text: (text) => {
      if (isText) current += text;
    },
    close: (name) => {
      if (name === 'si') strings.push(unescapeText(current));
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 't') isText = false;
    },
  });
  return strings;
}

/** Replaces escapes such as `_x000D_`, with which Excel writes control characters. */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/gu, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    : text;

/** Maximum length of a number format in Excel. The pattern below takes quadratic time. */
const maxFormatChars = 255;

const isDateFormat = (code: string): boolean =>
  /[dy]/iu.test(code.slice(0, maxFormatChars).replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_.|\*./gu, '')) &&
  !/^general$/iu.test(code);

/** Built-in formats that show dates (ECMA-376 part 1, 18.8.30). */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);

async function readDateStyles(zip: Zip): Promise<boolean[]> {
  const formats = new Map<number, string>();
  const styles: boolean[] = [];
  let isInCellFormats = false;
  await parseXml(zip, 'xl/styles.xml', {
    open: (name, attributes) => {
      const id = Number(attributes['numFmtId'] ?? 0);
      if (name === 'numFmt') formats.set(id, attributes['formatCode'] ?? '');
      else if (name === 'cellXfs') isInCellFormats = true;
      else if (name === 'xf' && isInCellFormats) {
        const code = formats.get(id);
        styles.push(code === undefined ? isBuiltInDate(id) : isDateFormat(code));
      }
    },
    close: (name) => {
      if (name === 'cellXfs') isInCellFormats = false;
    },
  });
  return styles;
}

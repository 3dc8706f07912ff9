import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseJson } from '#server/platform/storage/files.ts';
import { Failure } from '../support/command.ts';

export interface StoredDocument {
  /** The user's id; null if the file does not contain it. */
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

type PlainObject = Record<string, unknown>;

const isObject = (value: unknown): value is PlainObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads documents from a JSON array, an object with ids as keys, a file with one document per line, or a response of
 * the Firestore REST API or emulator. Lines are read one after another, so a file with pictures may be larger than
 * memory.
 * @throws Failure when the file has none of these formats
 */
export async function* readDocuments(path: string): AsyncGenerator<StoredDocument> {
  if (await hasDocumentPerLine(path)) {
    for await (const line of readLines(path)) if (line.trim() !== '') yield toDocument(parseFile(line, path), null);
    return;
  }
  yield* findDocuments(parseFile(await readWhole(path), path), path);
}

async function hasDocumentPerLine(path: string): Promise<boolean> {
  let first: string | null = null;
  for await (const line of readLines(path)) {
    if (line.trim() === '') continue;
    if (first !== null) return true;
    first = line;
    if (!isObject(parseJson(line))) return false;
  }
  return false;
}

async function* readLines(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new Failure(`${path} cannot be read. Enter the path of the file with the Firestore documents.`, {
      cause: error,
    });
  }
}

const readWhole = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Failure(`${path} cannot be read into memory. If it is larger than 500 MB, write one document per line.`, {
      cause,
    });
  });

function parseFile(text: string, path: string): unknown {
  try {
    // Windows editors write a byte order mark.
    return JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw new Failure(`${path} is not valid JSON.`, { cause: error });
  }
}

function* findDocuments(content: unknown, path: string): Generator<StoredDocument> {
  const inner = unwrap(content);
  if (Array.isArray(inner)) {
    for (const item of inner) yield toDocument(item, null);
    return;
  }
  if (!isObject(inner))
    throw new Failure(`${path} contains neither a list of documents nor an object with ids as keys.`);
  if (isDocument(inner)) {
    yield toDocument(inner, null);
    return;
  }
  for (const [id, item] of Object.entries(inner)) yield toDocument(item, id);
}

function unwrap(content: unknown): unknown {
  if (!isObject(content) || isDocument(content)) return content;
  for (const key of ['documents', '__collections__', 'users'])
    if (typeof content[key] === 'object' && content[key] !== null) return unwrap(content[key]);
  return content;
}

const isDocument = (value: PlainObject): boolean =>
  isObject(value['fields']) ||
  isObject(value['data']) ||
  ['imgURL', 'matricNumber', 'contactNumber', 'firstName'].some((key) => typeof value[key] === 'string') ||
  (isObject(value['academic']) && isObject(value['name']));

function toDocument(item: unknown, key: string | null): StoredDocument {
  if (!isObject(item)) return { id: key, data: {} };
  if (isObject(item['fields'])) {
    const path = typeof item['name'] === 'string' ? item['name'] : '';
    return { id: path.split('/').at(-1) || key, data: toPlainFields(item['fields']) };
  }
  const id = ['id', 'uid', '_id', 'localId']
    .map((name) => item[name])
    .find((value): value is string => typeof value === 'string');
  const data = isObject(item['data']) ? item['data'] : item;
  return { id: id ?? key, data };
}

const toPlainFields = (fields: PlainObject): PlainObject =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toPlainValue(value)]));

function toPlainValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [[kind, content] = ['nullValue', null]] = Object.entries(value);
  switch (kind) {
    case 'nullValue':
      return null;
    case 'integerValue':
    case 'doubleValue':
      return Number(content);
    case 'mapValue':
      return toPlainFields((isObject(content) && isObject(content['fields']) && content['fields']) || {});
    case 'arrayValue':
      return isObject(content) && Array.isArray(content['values']) ? content['values'].map(toPlainValue) : [];
    default:
      return content;
  }
}

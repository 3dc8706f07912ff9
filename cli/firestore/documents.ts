import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseJson } from '#server/platform/storage/files.ts';
import { Failure } from '../support/command.ts';

/** A document of the users collection, with plain values. */
export interface StoredDocument {
  /** The user's id; null where the file does not say whose it is. */
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

type Plain = Record<string, unknown>;

const isObject = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads documents in any of the shapes in which they are handed on: a JSON array, an object by ids, a document on each
 * line, or what Firestore's own REST interface and its emulator answer. Lines are read one after another, so that a file
 * with pictures in it may be larger than memory.
 * @throws Failure when the file cannot be read as any of these
 */
export async function* readDocuments(path: string): AsyncGenerator<StoredDocument> {
  if (await isLines(path)) {
    for await (const line of linesOf(path)) if (line.trim() !== '') yield toDocument(parse(line, path), null);
    return;
  }
  yield* documentsIn(parse(await read(path), path), path);
}

/** A first line that is whole by itself, and is not the only one. */
async function isLines(path: string): Promise<boolean> {
  let first: string | null = null;
  for await (const line of linesOf(path)) {
    if (line.trim() === '') continue;
    if (first !== null) return true;
    first = line;
    if (!isObject(parseJson(line))) return false;
  }
  return false;
}

async function* linesOf(path: string): AsyncGenerator<string> {
  try {
    yield* createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
  } catch (error) {
    throw new Failure(`${path} cannot be read. Name the file with the documents.`, { cause: error });
  }
}

const read = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Failure(
      `${path} cannot be read as a whole. If it is larger than 500 MB, write a document on each line.`,
      { cause },
    );
  });

function parse(text: string, path: string): unknown {
  try {
    // Editors on Windows put a mark before the first character.
    return JSON.parse(text.replace(/^\uFEFF/u, ''));
  } catch (error) {
    throw new Failure(`${path} is not JSON.`, { cause: error });
  }
}

function* documentsIn(content: unknown, path: string): Generator<StoredDocument> {
  const inner = unwrap(content);
  if (Array.isArray(inner)) {
    for (const item of inner) yield toDocument(item, null);
    return;
  }
  if (!isObject(inner)) throw new Failure(`${path} holds neither a list of documents nor documents by their ids.`);
  if (isDocument(inner)) {
    yield toDocument(inner, null);
    return;
  }
  for (const [id, item] of Object.entries(inner)) yield toDocument(item, id);
}

/** The wrappers that exports put around a collection. */
function unwrap(content: unknown): unknown {
  if (!isObject(content) || isDocument(content)) return content;
  for (const key of ['documents', '__collections__', 'users'])
    if (typeof content[key] === 'object' && content[key] !== null) return unwrap(content[key]);
  return content;
}

/** Whether it is one document, and not many by their ids. */
const isDocument = (value: Plain): boolean =>
  isObject(value['fields']) ||
  isObject(value['data']) ||
  ['imgURL', 'matricNumber', 'contactNumber', 'firstName'].some((key) => typeof value[key] === 'string') ||
  (isObject(value['academic']) && isObject(value['name']));

function toDocument(item: unknown, key: string | null): StoredDocument {
  if (!isObject(item)) return { id: key, data: {} };
  if (isObject(item['fields'])) {
    const path = typeof item['name'] === 'string' ? item['name'] : '';
    return { id: path.split('/').at(-1) || key, data: plainFields(item['fields']) };
  }
  const id = ['id', 'uid', '_id', 'localId']
    .map((name) => item[name])
    .find((value): value is string => typeof value === 'string');
  const data = isObject(item['data']) ? item['data'] : item;
  return { id: id ?? key, data };
}

const plainFields = (fields: Plain): Plain =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, plainValue(value)]));

/** A value of the REST interface, `{ stringValue: … }`, as itself. */
function plainValue(value: unknown): unknown {
  if (!isObject(value)) return value;
  const [[kind, content] = ['nullValue', null]] = Object.entries(value);
  switch (kind) {
    case 'nullValue':
      return null;
    case 'integerValue':
    case 'doubleValue':
      return Number(content);
    case 'mapValue':
      return plainFields((isObject(content) && isObject(content['fields']) && content['fields']) || {});
    case 'arrayValue':
      return isObject(content) && Array.isArray(content['values']) ? content['values'].map(plainValue) : [];
    default:
      return content;
  }
}

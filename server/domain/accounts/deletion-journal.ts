import { createHash, createHmac } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { nullIfMissing, parseJson, syncFolder } from '#server/platform/storage/files.ts';
import { runConcurrently } from '#server/platform/limits/run-concurrently.ts';
import type { PictureStore } from '#server/platform/media/picture-store.ts';
import type { Context } from '../context.ts';
import { installationKeyPath, openInstallationKey } from '#server/platform/crypto/installation-key.ts';

/*
 * The journal of deleted accounts and roster entries: keyed digests (HMAC-SHA-256) and times. It survives a restore of
 * the database, so that a deletion is not undone by a backup that was made before it. Without an object store, it is an
 * append-only file in the data folder. An object store cannot append, so each entry is an object.
 */

type JournalPlace = Pick<Context, 'config' | 'media'>;

/** Subfolder of the object store. */
const journalFolder = '.deletions';
const entryFile = 'entry.json';

/** One line of the journal. `returned` cancels a deletion. */
export const JournalEntry = z.object({
  at: z.iso.datetime(),
  event: z.enum(['deleted', 'returned']),
  deletesAt: z.optional(z.iso.datetime()),
  digests: z.array(z.string()),
});
export type JournalEntry = z.infer<typeof JournalEntry>;

interface AccountReference {
  readonly accountId?: string | undefined;
  /** Canonical address; null if it was never verified. */
  readonly email?: string | null;
  /** Matric key of a roster entry that was emptied because of an objection. */
  readonly matricKey?: string;
}

interface Deletion {
  readonly at: Date;
  readonly deletesAt: Date | null;
}

export interface DeletionJournal {
  readonly isEmpty: boolean;
  find(who: AccountReference): Deletion | null;
  /**
   * Returns when the deletion of the account was cancelled; null when the latest entry is a deletion or the account has
   * no entry.
   */
  findCancellation(accountId: string): Date | null;
}

export const journalPath = (dataDir: string): string => join(dataDir, 'deletions.jsonl');

export async function createEntry(
  dataDir: string,
  event: JournalEntry['event'],
  { deletesAt, at = new Date(), ...who }: AccountReference & { readonly deletesAt?: Date | null; readonly at?: Date },
): Promise<JournalEntry> {
  const digests = (await openDigests(dataDir))(who);
  return { at: at.toISOString(), event, ...(deletesAt && { deletesAt: deletesAt.toISOString() }), digests };
}

/** Appends entries that are not yet in the journal, with fsync. @throws Error of the file system */
export async function appendEntries(
  { config: { dataDir, objectStore }, media: { store } }: JournalPlace,
  entries: readonly JournalEntry[],
): Promise<void> {
  if (objectStore) return writeObjects(store, entries);
  const known = new Set((await readFileEntries(journalPath(dataDir))).map(toLine));
  const lines = entries.map(toLine).filter((line) => !known.has(line));
  if (lines.length === 0) return;
  await using file = await open(journalPath(dataDir), 'a', 0o600);
  // The leading line break terminates a line that a crash truncated.
  await file.write(`\n${lines.join('\n')}\n`);
  await file.sync();
  await syncFolder(dirname(journalPath(dataDir)));
}

/** Writes entries to an object store. Their names are digests, so that no entry is stored twice. */
export const writeObjects = (store: PictureStore, entries: readonly JournalEntry[]): Promise<void> =>
  runConcurrently(entries.map(toLine), (line) =>
    store.write(
      `${journalFolder}/${createHash('sha256').update(line).digest('hex')}`,
      new Map([[entryFile, Buffer.from(line)]]),
    ),
  );

export async function readJournal(place: JournalPlace): Promise<DeletionJournal> {
  const { dataDir } = place.config;
  const entries = await readEntries(place);
  if (entries.length === 0) return { isEmpty: true, find: () => null, findCancellation: () => null };
  const digestsOf = await openDigests(dataDir);
  const last = new Map(entries.flatMap((entry) => entry.digests.map((digest) => [digest, entry] as const)));
  const lastOf = (who: AccountReference, event: JournalEntry['event']) =>
    digestsOf(who)
      .map((digest) => last.get(digest))
      .find((found) => found?.event === event);
  return {
    isEmpty: false,
    find: (who) => {
      const entry = lastOf(who, 'deleted');
      if (!entry) return null;
      return { at: new Date(entry.at), deletesAt: entry.deletesAt === undefined ? null : new Date(entry.deletesAt) };
    },
    findCancellation: (accountId) => {
      const entry = lastOf({ accountId }, 'returned');
      return entry ? new Date(entry.at) : null;
    },
  };
}

/**
 * Adds the entries of a journal in another folder, such as of a backup.
 * @returns `merged` if the entries were added. `adopt` if this folder has no entries: the other journal and its key can
 *   replace those here. `foreign` if the other journal was made with another key: its digests cannot be compared.
 */
export async function mergeJournal(from: string, place: JournalPlace): Promise<'adopt' | 'merged' | 'foreign'> {
  const { dataDir, objectStore } = place.config;
  const isEmpty = (await readEntries(place)).length === 0;
  const theirs = await readFileEntries(journalPath(from));
  if (theirs.length > 0 && (objectStore || !isEmpty)) {
    const [key, other] = await Promise.all([dataDir, from].map((path) => readText(installationKeyPath(path))));
    if (!isEmpty && key !== other) return 'foreign';
    await appendEntries(place, theirs);
  }
  return isEmpty ? 'adopt' : 'merged';
}

export const formatJournal = (entries: readonly JournalEntry[]): string =>
  entries.map((entry) => `${toLine(entry)}\n`).join('');

async function openDigests(dataDir: string): Promise<(who: AccountReference) => string[]> {
  const key = await openInstallationKey(dataDir).derive('deletion journal');
  const digestOf = (text: string) => createHmac('sha256', key).update(text).digest('base64url');
  return ({ accountId, email, matricKey }) => [
    ...(accountId === undefined ? [] : [digestOf(`account ${accountId}`)]),
    ...(email ? [digestOf(`email ${email}`)] : []),
    ...(matricKey === undefined ? [] : [digestOf(`matric ${matricKey}`)]),
  ];
}

const toLine = ({ at, event, deletesAt, digests }: JournalEntry): string =>
  JSON.stringify({ at, event, deletesAt, digests });

export async function readEntries({
  config: { dataDir, objectStore },
  media: { store },
}: JournalPlace): Promise<JournalEntry[]> {
  const entries = await readFileEntries(journalPath(dataDir));
  if (objectStore)
    await runConcurrently(await store.listNames(journalFolder), async ({ name }) => {
      entries.push(...parseEntries((await store.read(`${journalFolder}/${name}`, entryFile))?.toString() ?? ''));
    });
  return entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

const readFileEntries = async (path: string): Promise<JournalEntry[]> => parseEntries(await readText(path));

const parseEntries = (text: string): JournalEntry[] =>
  text.split('\n').flatMap((line) => JournalEntry.safeParse(parseJson(line)).data ?? []);

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(nullIfMissing)) ?? '';
}

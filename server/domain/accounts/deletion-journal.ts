import { createHmac } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { nullIfMissing, parseJson, syncFolder } from '#server/platform/storage/files.ts';
import { installationKeyPath, openInstallationKey } from '#server/platform/crypto/installation-key.ts';

/*
 * The journal of deleted accounts and roster entries: an append-only file in the data folder with keyed digests
 * (HMAC-SHA-256) and times. It survives a restore of the database, so that a deletion is not undone by a backup that
 * was made before it.
 */

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
export async function appendEntries(dataDir: string, entries: readonly JournalEntry[]): Promise<void> {
  const known = new Set((await readEntries(dataDir)).map(toLine));
  const lines = entries.map(toLine).filter((line) => !known.has(line));
  if (lines.length === 0) return;
  await using file = await open(journalPath(dataDir), 'a', 0o600);
  // The leading line break terminates a line that a crash truncated.
  await file.write(`\n${lines.join('\n')}\n`);
  await file.sync();
  await syncFolder(dirname(journalPath(dataDir)));
}

export async function readJournal(dataDir: string): Promise<DeletionJournal> {
  const entries = await readEntries(dataDir);
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
 * Adds the entries of a journal in another folder, such as a backup.
 * @returns `merged` if the entries were added. `adopt` if this folder has no entries: the other journal and its key can
 *   replace those here. `foreign` if the other journal was made with another key: its digests cannot be compared.
 */
export async function mergeJournal(from: string, dataDir: string): Promise<'adopt' | 'merged' | 'foreign'> {
  if ((await readEntries(dataDir)).length === 0) return 'adopt';
  const theirs = await readEntries(from);
  if (theirs.length === 0) return 'merged';
  const [key, other] = await Promise.all([dataDir, from].map((path) => readText(installationKeyPath(path))));
  if (key !== other) return 'foreign';
  await appendEntries(dataDir, theirs);
  return 'merged';
}

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

async function readEntries(dataDir: string): Promise<JournalEntry[]> {
  const entries = (await readText(journalPath(dataDir))).split('\n').flatMap((line) => {
    const { data } = JournalEntry.safeParse(parseJson(line));
    return data ?? [];
  });
  return entries.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

async function readText(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(nullIfMissing)) ?? '';
}

import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Context } from '#server/domain/context.ts';
import { deleteImport } from '#server/domain/roster/import/roster-imports.ts';
import type { LocalFile } from '#server/platform/storage/file-store.ts';

type Files = Pick<Context, 'files'>;

const fileName = (importId: number): string => `${importId}.upload`;

export const openRosterFile = ({ files }: Files, importId: number): Promise<LocalFile | null> =>
  files.roster.openLocally(fileName(importId));

/** If this fails, the nightly job deletes the file. */
export const deleteRosterFile = ({ files }: Files, importId: number): Promise<void> =>
  files.roster.delete(fileName(importId)).catch(() => undefined);

/** Keeps uploads that are still arriving. @param openId the import whose file is kept; null to keep none */
export const deleteOtherFiles = ({ files }: Files, openId: number | null): Promise<void> =>
  files.roster.deleteOthers((name) => openId !== null && name === fileName(openId));

/**
 * @param record records the import with the SHA-256 of the file, and returns its id
 * @returns the id
 * @throws ProblemError insufficient-storage, unavailable
 */
export async function storeRosterFile(
  { db, files }: Context,
  content: Readable,
  record: (digest: Buffer) => Promise<number>,
): Promise<number> {
  const digest = createHash('sha256');
  async function* addToDigest() {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      digest.update(chunk);
      yield chunk;
    }
  }
  let id = 0;
  try {
    await files.roster.write(addToDigest(), async () => {
      id = await record(digest.digest());
      return fileName(id);
    });
    return id;
  } catch (error) {
    if (id !== 0) await deleteImport(db, id);
    throw error;
  }
}

import pg from 'pg';
import { announceBackup } from '#server/db/backup-lock.ts';
import { deleteRemoved } from '#server/domain/pictures.ts';
import type { OpenArchive } from '#server/startup/open-archive.ts';
import type { MediaSize } from '#server/platform/media/media.ts';
import product from '../../package.json' with { type: 'json' };
import { describeBackup } from '../backup-format/write-backup.ts';
import type { Tools } from './command.ts';
import { megabytes } from './disk-space.ts';
import { pictureNames } from './stored-pictures.ts';

/** Counts what an export would write. @param taken returns the files of a picture that are written @returns bytes of pictures */
export async function rehearse(
  archive: OpenArchive,
  taken: (files: readonly MediaSize[]) => readonly MediaSize[],
  { progress, note }: Pick<Tools, 'progress' | 'note'>,
): Promise<{ bytes: number; says: string }> {
  const { media } = archive.context;
  const client = new pg.Client({ ...archive.connection, application_name: 'archive rehearsal', statement_timeout: 0 });
  try {
    await client.connect();
    client.on('error', () => undefined);
    await announceBackup(client);
    await client.query('set idle_in_transaction_session_timeout = 0');
    await client.query('begin isolation level repeatable read, read only');
    const manifest = await describeBackup({ client, version: product.version }, 0);
    let [missing, bytes] = [0, 0];
    const bar = progress('Pictures', manifest.pictures);
    try {
      for await (const name of pictureNames(client)) {
        const files = await media.sizesOf(name);
        if (files.length === 0) missing++;
        for (const file of taken(files)) bytes += file.bytes;
        bar.add();
      }
    } finally {
      bar.end();
    }
    if (missing > 0) note(`${missing} pictures are missing on disk.`);
    const accounts = manifest.tables.find(({ name }) => name === 'accounts')?.rows ?? 0;
    const says = `${accounts} accounts and ${manifest.pictures - missing} pictures of about ${megabytes(bytes)} would be written.`;
    return { bytes, says };
  } finally {
    await client.end().catch(() => undefined);
    // Of what was removed meanwhile, for our sake.
    await deleteRemoved(archive.context).catch(() => undefined);
  }
}

import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Pack, pack as createPack } from 'tar-stream';
import { formatJournal, readEntries } from '#server/domain/accounts/deletion-journal.ts';
import type { Context } from '#server/domain/context.ts';
import { executorOf } from '#server/platform/jobs/job-queue.ts';
import { type PortableJob, exportJobs } from '#server/platform/jobs/job-transfer.ts';
import { hasSecretKey } from '#server/platform/crypto/secret-box.ts';
import { Failure, type Progress } from '../support/command.ts';
import { countRows, readPictureNames, createPictureQuery } from '../support/stored-pictures.ts';
import { type Manifest, backupFormat, entryNames, journalFile, keyFiles, pieceBytes } from './manifest.ts';
import { listTables, selectSavedTables } from './tables.ts';

interface BackupSource {
  /** Connection opened by `withSnapshot`. A failed write closes the connection. */
  readonly client: pg.Client;
  readonly context: Context;
  readonly version: string;
  /** Whether to write the backup even if too many pictures, or the key, are missing. */
  readonly isIncomplete?: boolean;
  /**
   * Called with a number of bytes before they are written.
   * @throws Error to abort the backup
   */
  readonly guardReserve?: ((bytes: number) => Promise<void>) | undefined;
}

/**
 * Limits above which missing pictures make a backup fail. An operator may have deleted a few manually. Without a limit,
 * an unmounted disk would lead to empty backups that replace all good ones within a week.
 */
const maxMissingPictures = { count: 5, share: 0.1 };

interface WriteResult {
  readonly manifest: Manifest;
  readonly missingPictures: number;
  readonly isComplete: boolean;
}

/**
 * Writes a consistent snapshot of the archive, which stays in use. Streams rows in chunks of a few megabytes, and
 * pictures one at a time. Loads all pending jobs into memory.
 */
export async function writeBackup(
  source: BackupSource,
  to: Writable,
  progress: (label: string, total: number) => Progress,
): Promise<WriteResult> {
  const { client, context } = source;
  const { media } = context;
  const pack = createPack();
  const tar = createTarWriter(pack, source.guardReserve);

  async function write(): Promise<WriteResult> {
    const jobs = await exportJobs(executorOf(client));
    const manifest = await describeBackup(source, jobs.length);
    const hasKey = requireComplete(source, describeMissingKey(source, manifest));
    await tar.add('manifest.json', toJson(manifest));
    await writeRows(manifest, jobs);
    const missingPictures = await writePictures(manifest);
    const { dataDir, objectStore } = context.config;
    for (const path of await listKeyPaths(dataDir))
      if (objectStore === null || path !== journalFile)
        await tar.add(`keys/${path}`, await readFile(join(dataDir, path)));
    if (objectStore) await tar.add(`keys/${journalFile}`, Buffer.from(formatJournal(await readEntries(context))));
    const hasPictures = requireComplete(source, describeMissingPictures(source, manifest, missingPictures));
    await tar.end();
    return { manifest, missingPictures, isComplete: hasKey && hasPictures };
  }

  async function writeRows({ tables }: Manifest, jobs: readonly PortableJob[]): Promise<void> {
    using bar = progress('Tables', tables.length);
    for (const { name, columns } of tables) {
      const list = columns.map(pg.escapeIdentifier).join(', ');
      await addCopy(`tables/${name}`, `copy ${pg.escapeIdentifier(name)} (${list}) to stdout`);
      bar.add();
    }
    await addCopy('jobs', createJobCopyQuery(jobs));
  }

  async function writePictures({ pictures }: Manifest): Promise<number> {
    let missing = 0;
    using bar = progress('Pictures', pictures);
    for await (const name of readPictureNames(client)) {
      const files = await media.readFiles(name);
      if (files.length === 0) missing++;
      for (const file of files) await tar.add(`media/${name}/${file.name}`, file.content);
      bar.add();
    }
    return missing;
  }

  async function addCopy(folder: string, query: string): Promise<void> {
    let piece: Buffer[] = [];
    let size = 0;
    let number = 0;
    const flush = async () => {
      const content = Buffer.concat(piece);
      [piece, size] = [[], 0];
      await tar.add(`${folder}/${String(++number).padStart(6, '0')}.copy`, content);
    };
    for await (const chunk of client.query(copyTo(query)) as AsyncIterable<Buffer>) {
      piece.push(chunk);
      size += chunk.length;
      if (size >= pieceBytes) await flush();
    }
    if (size > 0) await flush();
  }

  // A failure of either one aborts the other, including a running database query.
  const writing = write().catch((error: unknown) => {
    pack.destroy(error as Error);
    throw error;
  });
  const passing = pipeline(pack, createGzip({ level: 1 }), to).catch(async (error: unknown) => {
    await client.end();
    throw error;
  });
  const [written, passed] = await Promise.allSettled([writing, passing]);
  if (passed.status === 'rejected') throw passed.reason;
  if (written.status === 'rejected') throw written.reason;
  return written.value;
}

async function describeBackup({ client, version }: BackupSource, jobs: number): Promise<Manifest> {
  const tables = selectSavedTables(await listTables(client));
  const counted = [];
  for (const { name, columns } of tables)
    counted.push({ name, columns, rows: await countRows(client, `select 1 from ${pg.escapeIdentifier(name)}`) });
  const { rows: done } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return {
    format: backupFormat,
    version,
    madeAt: new Date().toISOString(),
    migrations: done.map(({ name }) => name),
    tables: counted,
    jobs,
    pictures: await countRows(client, await createPictureQuery(client)),
  };
}

function describeMissingKey({ context }: BackupSource, { tables }: Manifest): string | null {
  const { dataDir } = context.config;
  const owners = tables.find(({ name }) => name === 'authenticators')?.rows ?? 0;
  return owners > 0 && !hasSecretKey(dataDir)
    ? `second-factor.key is missing in ${dataDir}, and the authenticator apps of ${owners} people need it.`
    : null;
}

const describeMissingPictures = (
  { context: { media } }: BackupSource,
  { pictures }: Manifest,
  missing: number,
): string | null =>
  missing > maxMissingPictures.count && missing > pictures * maxMissingPictures.share
    ? `More than a tenth of the ${pictures} pictures are missing from ${media.store.location}.`
    : null;

function requireComplete({ isIncomplete = false }: BackupSource, problem: string | null): boolean {
  if (problem === null || isIncomplete) return problem === null;
  throw new Failure(
    `${problem} Check DATA_DIR, and that its disk is mounted. Nothing was overwritten. If the files are lost, add --incomplete to back up the rest.`,
  );
}

const createJobCopyQuery = (jobs: readonly PortableJob[]) => `copy (
  select identifier, null as queue_name, payload::text, run_at, max_attempts, key, priority, attempts
  from json_to_recordset(${pg.escapeLiteral(JSON.stringify(jobs))}) as job (identifier text, payload json,
    run_at timestamptz, max_attempts int, key text, priority int, attempts int)) to stdout`;

async function listKeyPaths(dataDir: string): Promise<string[]> {
  const own = await readdir(dataDir);
  const secrets = own.includes('secrets') ? await readdir(join(dataDir, 'secrets')) : [];
  return [
    ...keyFiles.filter((name) => own.includes(name)),
    ...secrets
      .map((name) => `secrets/${name}`)
      // Skip other files, such as an editor's copy: a restore would reject their names.
      .filter((path) => entryNames.key.test(`keys/${path}`)),
  ];
}

const toJson = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

function createTarWriter(pack: Pack, guardReserve: BackupSource['guardReserve']) {
  const digest = createHash('sha256');
  let entries = 0;
  const mtime = new Date();
  const putEntry = (name: string, content: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const entry = pack.entry({ name, size: content.length, mode: 0o600, mtime }, (error) =>
        error ? reject(error) : resolve(),
      );
      // The callback gets the error as well, but without a listener the error would crash the process.
      entry.on('error', reject);
      entry.end(content);
    });
  return {
    add: async (name: string, content: Buffer): Promise<void> => {
      await guardReserve?.(content.length);
      entries++;
      digest.update(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
      await putEntry(name, content);
    },
    end: async (): Promise<void> => {
      await putEntry('end.json', toJson({ entries, digest: digest.digest('hex') }));
      pack.finalize();
    },
  };
}

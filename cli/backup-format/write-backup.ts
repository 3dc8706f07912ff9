import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Pack, pack as createPack } from 'tar-stream';
import type { Media } from '#server/platform/media/media.ts';
import { executorOf } from '#server/platform/jobs/job-queue.ts';
import { type PortableJob, exportJobs } from '#server/platform/jobs/job-transfer.ts';
import { hasSecretKey } from '#server/platform/crypto/secret-box.ts';
import { Failure, type Progress } from '../support/command.ts';
import { count, pictureNames, picturesQuery } from '../support/stored-pictures.ts';
import { type Manifest, backupFormat, entryNames, keyFiles, pieceBytes } from './manifest.ts';
import { listTables, savedTables } from './tables.ts';

interface Source {
  /** The connection that `withSnapshot` opens. It is closed when writing fails. */
  readonly client: pg.Client;
  readonly media: Media;
  readonly dataDir: string;
  /** Of the product. */
  readonly version: string;
  /** Writes a backup also where so much is missing that it is refused otherwise. */
  readonly isIncomplete?: boolean;
  /** Is told of bytes before they are written. @throws Error what it throws ends the backup */
  readonly makeRoom?: ((bytes: number) => Promise<void>) | undefined;
}

/**
 * Missing pictures that a backup tolerates: single ones that were deleted by hand, but not a whole folder. Without this limit, a
 * disk that is not mounted would replace every good backup within a week.
 */
const tolerated = { count: 5, share: 0.1 };

interface Written {
  readonly manifest: Manifest;
  /** Pictures that rows name and that are nowhere. */
  readonly missing: number;
  /** Whether as much of it is there as has to be. */
  readonly isWhole: boolean;
}

/**
 * Writes everything that makes up an archive, as it is at one moment, while it goes on being used. Rows are streamed in pieces of
 * a few megabytes, and pictures one at a time. The waiting jobs are all in memory.
 */
export async function writeBackup(
  source: Source,
  to: Writable,
  progress: (label: string, total: number) => Progress,
): Promise<Written> {
  const { client, media } = source;
  const pack = createPack();
  const tar = tarInto(pack, source.makeRoom);

  async function write(): Promise<Written> {
    const jobs = await exportJobs(executorOf(client));
    const manifest = await describeBackup(source, jobs.length);
    const hasKey = requireWhole(source, missingKey(source, manifest));
    await tar.add('manifest.json', json(manifest));
    await writeRows(manifest, jobs);
    const missing = await writePictures(manifest);
    for (const path of await keyPaths(source.dataDir))
      await tar.add(`keys/${path}`, await readFile(join(source.dataDir, path)));
    const hasPictures = requireWhole(source, missingPictures(source, manifest, missing));
    await tar.end();
    return { manifest, missing, isWhole: hasKey && hasPictures };
  }

  async function writeRows({ tables }: Manifest, jobs: readonly PortableJob[]): Promise<void> {
    using bar = progress('Tables', tables.length);
    for (const { name, columns } of tables) {
      const list = columns.map(pg.escapeIdentifier).join(', ');
      await addCopy(`tables/${name}`, `copy ${pg.escapeIdentifier(name)} (${list}) to stdout`);
      bar.add();
    }
    await addCopy('jobs', copyJobs(jobs));
  }

  /** @returns the number of pictures that are missing */
  async function writePictures({ pictures }: Manifest): Promise<number> {
    let missing = 0;
    using bar = progress('Pictures', pictures);
    for await (const name of pictureNames(client)) {
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

  // Whichever fails first ends the other one, the database's answer to a question included.
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

/** What the snapshot holds. */
async function describeBackup({ client, version }: Source, jobs: number): Promise<Manifest> {
  const tables = savedTables(await listTables(client));
  const counted = [];
  for (const { name, columns } of tables)
    counted.push({ name, columns, rows: await count(client, `select 1 from ${pg.escapeIdentifier(name)}`) });
  const { rows: done } = await client.query<{ name: string }>('select name from kysely_migration order by name');
  return {
    format: backupFormat,
    version,
    madeAt: new Date().toISOString(),
    migrations: done.map(({ name }) => name),
    tables: counted,
    jobs,
    pictures: await count(client, await picturesQuery(client)),
  };
}

/** Returns why the backup would be useless for people with authenticator apps; null if it has their key, or there are none. */
function missingKey({ dataDir }: Source, { tables }: Manifest): string | null {
  const owners = tables.find(({ name }) => name === 'authenticators')?.rows ?? 0;
  return owners > 0 && !hasSecretKey(dataDir)
    ? `second-factor.key is missing in ${dataDir}, and ${owners} people have an authenticator app that works with it alone.`
    : null;
}

const missingPictures = ({ media }: Source, { pictures }: Manifest, missing: number): string | null =>
  missing > tolerated.count && missing > pictures * tolerated.share
    ? `More than a tenth of the ${pictures} pictures are missing in ${media.folder}.`
    : null;

/** Returns whether there is no problem. @throws Failure if there is one, unless an incomplete backup was asked for */
function requireWhole({ isIncomplete = false }: Source, problem: string | null): boolean {
  if (problem === null || isIncomplete) return problem === null;
  throw new Failure(
    `${problem} Is DATA_DIR right, and its disk there? Nothing was overwritten. If it is lost for good: --incomplete makes a backup of the rest.`,
  );
}

/** Selects jobs as rows of a table, for COPY. One that is running starts again after a restore. */
const copyJobs = (jobs: readonly PortableJob[]) => `copy (
  select identifier, null as queue_name, payload::text, run_at, max_attempts, key, priority, attempts
  from json_to_recordset(${pg.escapeLiteral(JSON.stringify(jobs))}) as job (identifier text, payload json,
    run_at timestamptz, max_attempts int, key text, priority int, attempts int)) to stdout`;

async function keyPaths(dataDir: string): Promise<string[]> {
  const own = await readdir(dataDir);
  const secrets = own.includes('secrets') ? await readdir(join(dataDir, 'secrets')) : [];
  return [
    ...keyFiles.filter((name) => own.includes(name)),
    ...secrets
      .map((name) => `secrets/${name}`)
      // What somebody has left there, such as an editor's copy, is no key, and a restore would not know it.
      .filter((path) => entryNames.key.test(`keys/${path}`)),
  ];
}

const json = (value: unknown) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** Adds entries one after another, and at the end what they add up to. */
function tarInto(pack: Pack, makeRoom: Source['makeRoom']) {
  const digest = createHash('sha256');
  let entries = 0;
  const mtime = new Date();
  const put = (name: string, content: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const entry = pack.entry({ name, size: content.length, mode: 0o600, mtime }, (error) =>
        error ? reject(error) : resolve(),
      );
      // It is told to the callback too; without a listener it would end the process.
      entry.on('error', reject);
      entry.end(content);
    });
  return {
    add: async (name: string, content: Buffer): Promise<void> => {
      await makeRoom?.(content.length);
      entries++;
      digest.update(`${createHash('sha256').update(content).digest('hex')}  ${name}\n`);
      await put(name, content);
    },
    end: async (): Promise<void> => {
      await put('end.json', json({ entries, digest: digest.digest('hex') }));
      pack.finalize();
    },
  };
}

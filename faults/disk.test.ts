import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import sharp from 'sharp';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { connectToRunningEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { urlOf } from '#server/db/url.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { freePort } from '#server/testing/free-port.ts';
import { type Person, signUpAt } from '#server/testing/person.ts';
import { cleanUp, end, newFolder, type ServerProcess, run, serverCommand } from '#server/testing/server-process.ts';

/*
 * Runs the server on a separate small disk that fills up during use. The disk is a tmpfs in a mount namespace that ends
 * with the server. This needs root, or a user who may create user namespaces; otherwise the first test fails with an
 * explanation.
 */

afterEach(cleanUp);

const megabyteBytes = 1024 * 1024;

/** Returns a command line that starts the server with a small tmpfs mounted at `folder`, as root or as another user. */
const createSmallDiskCommand = (folder: string, megabytes: number): string[] => {
  const mount = `mount -t tmpfs -o size=${megabytes}m,mode=0711 tmpfs "${folder}"`;
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) return ['unshare', '-m', 'sh', '-c', `${mount} && exec "$@"`, 'sh', ...serverCommand];
  // Mounting needs root in the namespace, but PostgreSQL refuses to run as root.
  const dropRoot = `unshare -U --map-user=${uid} --map-group=${gid}`;
  return ['unshare', '-Urm', 'sh', '-c', `${mount} && exec ${dropRoot} "$@"`, 'sh', ...serverCommand];
};

function openDisk({ child }: ServerProcess, folder: string) {
  const place = join('/proc', String(child.pid), 'root', folder);
  const filler = join(place, 'filler');
  const free = () => {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize;
  };
  return {
    free,
    fill: (leftBytes: number) => {
      for (let written = 0; free() > leftBytes; written++) {
        const piece = Math.min(megabyteBytes, free() - leftBytes);
        try {
          writeFileSync(filler, Buffer.alloc(Math.max(piece, 4096), written % 251), { flag: 'a' });
        } catch (error) {
          if ((error as { code?: string }).code === 'ENOSPC') return;
          throw error;
        }
      }
    },
    freeSpace: () => rmSync(filler, { force: true }),
  };
}

const formatCounts = (counts: ReadonlyMap<number | null, number>) =>
  [...counts].map(([status, times]) => `${status ?? 'none'} × ${times}`).join(', ');

async function createPicture(number: number): Promise<string> {
  const noise = { type: 'gaussian' as const, mean: 100 + (number % 100), sigma: 50 };
  const jpeg = await sharp({ create: { width: 384, height: 480, channels: 3, background: '#777777', noise } })
    .jpeg()
    .toBuffer();
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
}

/** Texts whose save was acknowledged, and texts whose save had no response and may be stored or not. */
interface WrittenTexts {
  readonly acknowledged: Set<string>;
  readonly unconfirmed: Set<string>;
}

async function saveText(person: Person, imgURL: string, bio: string, written: WrittenTexts): Promise<number | null> {
  written.unconfirmed.add(bio);
  const answer = await person
    .ask('PUT', `/api/users/${person.uid}`, person.document(imgURL, { bio }))
    .catch(() => null);
  if (answer?.ok) {
    written.acknowledged.clear();
    written.acknowledged.add(bio);
    written.unconfirmed.clear();
  }
  await answer?.arrayBuffer();
  return answer?.status ?? null;
}

test('this machine allows mount namespaces, which the other tests need', () => {
  const { status, stderr } = spawnSync('unshare', process.getuid?.() === 0 ? ['-m', 'true'] : ['-Urm', 'true'], {
    encoding: 'utf8',
  });
  expect(status, `Run the tests as root, or allow user namespaces (${stderr}).`).toBe(0);
});

describe.each([
  { where: 'on the same disk as the pictures', isOneDisk: true },
  { where: 'on another disk', isOneDisk: false },
])('with the database $where', ({ isOneDisk }) => {
  test('a server on a full disk rejects first pictures and then all saves, loses no data, and recovers when space is free', async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), newFolder('archive-disk-')];
    const origin = `http://localhost:${PORT}`;
    const other = isOneDisk ? null : await copyDatabase(inject('databases'));
    const product = await run(
      {
        PORT,
        DATA_DIR,
        DISK_RESERVE: '32',
        SAVES_PER_HOUR: '1000000',
        ...(other && { DATABASE_URL: urlOf(other.connection) }),
      },
      createSmallDiskCommand(DATA_DIR, isOneDisk ? 180 : 60),
    );
    expect(product.ready, product.output).toBe(true);
    const disk = openDisk(product, DATA_DIR);
    const connection = other
      ? { ...inject('databases').superuser, database: other.connection.database }
      : await connectInside(product, DATA_DIR);
    const person = await signUpAt(origin, connection);
    const first = await person.ask('PUT', `/api/users/${person.uid}`, person.document(await createPicture(0)));
    expect(first.status, await first.clone().text()).toBe(200);
    const { imgURL } = (await first.json()) as { imgURL: string };
    const written: WrittenTexts = { acknowledged: new Set(), unconfirmed: new Set() };

    // Uploads pictures until the disk is full. Each response is either 200 or 507 (insufficient storage).
    disk.fill(34 * megabyteBytes);
    const answers = new Map<number, number>();
    for (let number = 1; number <= 200 && !answers.has(507); number++) {
      const body = { album: 'Full', title: `Photo ${number}`, audience: 'members', image: await createPicture(number) };
      const { status } = await person.ask('POST', '/api/gallery/photos', body);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (number === 20) disk.fill(31 * megabyteBytes);
      if (number >= 20) await expect.poll(() => disk.free() < 32 * megabyteBytes).toBe(true);
    }
    expect([...answers.keys()].toSorted((one, other) => one - other)).toEqual([200, 507]);
    for (let number = 0; number < 20; number++) {
      expect(await saveText(person, imgURL, `text ${number}`, written)).toBe(200);
    }
    expect((await person.ask('GET', `/api/users/${person.uid}`)).status).toBe(200);

    // The disk is full: no unexpected errors, and every acknowledged save is stored.
    disk.fill(0);
    const fullDiskStatuses = new Map<number | null, number>();
    const countStatus = (status: number | null) =>
      fullDiskStatuses.set(status, (fullDiskStatuses.get(status) ?? 0) + 1);
    for (let number = 0; number < 300; number++) {
      countStatus(await saveText(person, imgURL, `${number} ${'word '.repeat(28)}`, written));
      disk.fill(0);
      // Forces PostgreSQL to create a new WAL file, which it cannot do on a full disk.
      if (isOneDisk && number % 10 === 9) await switchWalFile(connection);
    }
    if (isOneDisk) expect([...fullDiskStatuses.keys()]).toContain(503);
    for (let number = 0; number < 3; number++) {
      const body = { album: 'Full', title: 'More', audience: 'members', image: await createPicture(number) };
      countStatus((await person.ask('POST', '/api/gallery/photos', body)).status);
    }
    expect([...fullDiskStatuses.keys()].filter((status) => status !== 200 && status !== 503 && status !== 507)).toEqual(
      [],
    );
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(product.child.exitCode).toBeNull();

    // Free disk space is enough to recover.
    disk.freeSpace();
    const freedAtMs = performance.now();
    await expect
      .poll(() => saveText(person, imgURL, 'after recovery', written), { timeout: 90_000, interval: 500 })
      .toBe(200);
    const recoveryMs = Math.round(performance.now() - freedAtMs);
    await expect
      .poll(
        async () => {
          const body = { album: 'Full', title: 'Again', audience: 'members', image: await createPicture(7) };
          return (await person.ask('POST', '/api/gallery/photos', body)).status;
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBe(200);
    const profile = (await (await person.ask('GET', `/api/users/${person.uid}`)).json()) as { bio: string };
    expect([...written.acknowledged, ...written.unconfirmed]).toContain(profile.bio);
    expect((await person.ask('GET', imgURL)).status).toBe(200);

    // All indexes are intact, and all pictures that rows refer to are complete.
    const client = new pg.Client(connection);
    await client.connect();
    try {
      await client.query(`
        create extension if not exists amcheck;
        select bt_index_check(c.oid, true) from pg_index i join pg_class c on c.oid = i.indexrelid
        join pg_namespace n on n.oid = c.relnamespace join pg_am a on a.oid = c.relam
        where a.amname = 'btree' and c.relkind = 'i' and n.nspname in ('public', 'pgboss')`);
      const { rows } = await client.query<{ picture: string }>(
        'select picture from photos union select picture from profiles where picture is not null',
      );
      for (const { picture } of rows) {
        for (const size of (await client.query('select from photos where picture = $1', [picture])).rowCount
          ? [480, 1440]
          : [96, 192, 384]) {
          const file = await person.ask('GET', `/media/${picture}/${size}.webp`);
          expect(file.status).toBe(200);
          await sharp(Buffer.from(await file.arrayBuffer())).stats();
        }
      }
    } finally {
      await client.end();
    }
    console.log(
      `Responses during uploads: ${formatCounts(answers)}; on the full disk: ${formatCounts(fullDiskStatuses)}; recovered after ${recoveryMs} ms`,
    );
    expect(product.readOutput()).toContain('No space left on the disk');
    expect(product.readOutput()).not.toContain('unexpected error');
    await end(product.child, 'SIGTERM');
    await other?.drop();
  });
});

/** Makes PostgreSQL switch to a new WAL file, or fail on a full disk. */
async function switchWalFile(connection: pg.PoolConfig): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_switch_wal()');
  } catch {
    // The database is unavailable or just failed. The saves show what members see.
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connectInside({ child }: ServerProcess, dataDir: string): Promise<pg.PoolConfig> {
  const place = join('/proc', String(child.pid), 'root', dataDir);
  const server = await connectToRunningEmbedded({ dataDir: place, user: null });
  if (!server) throw new Error(`No database answers in ${place}.`);
  return server.superuser;
}

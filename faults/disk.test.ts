import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import sharp from 'sharp';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { connectToRunningEmbedded } from '#server/db/embedded.ts';
import { urlOf } from '#server/db/url.ts';
import { copyDatabase } from '#server/testing/databases.ts';
import { freePort } from '#server/testing/free-port.ts';
import { type Person, signUpAt } from '#server/testing/person.ts';
import { cleanUp, end, newFolder, type Product, run, withoutPages } from '#server/testing/product.ts';

/*
 * The whole product on a disk of its own that fills up while people use it: a tmpfs, in a mount namespace that ends with the
 * product. That takes root, or an ordinary user who may make user namespaces; where neither is possible the test fails and says so.
 */

afterEach(cleanUp);

const megabyte = 1024 * 1024;

/** Starts a command with a small disk mounted at `$DISK`, whoever we are. */
const onSmallDisk = (folder: string, megabytes: number): string[] => {
  const mount = `mount -t tmpfs -o size=${megabytes}m,mode=0711 tmpfs "${folder}"`;
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) return ['unshare', '-m', 'sh', '-c', `${mount} && exec "$@"`, 'sh', ...withoutPages];
  // Mounting takes to be root in there, and PostgreSQL not to be.
  const back = `unshare -U --map-user=${uid} --map-group=${gid}`;
  return ['unshare', '-Urm', 'sh', '-c', `${mount} && exec ${back} "$@"`, 'sh', ...withoutPages];
};

/** The disk of a running product, seen from here. */
function diskOf({ child }: Product, folder: string) {
  const place = join('/proc', String(child.pid), 'root', folder);
  const filler = join(place, 'filler');
  const free = () => {
    const { bavail, bsize } = statfsSync(place);
    return bavail * bsize;
  };
  return {
    free,
    /** Fills the disk until so many bytes are left. */
    fill: (left: number) => {
      for (let written = 0; free() > left; written++) {
        const piece = Math.min(megabyte, free() - left);
        try {
          writeFileSync(filler, Buffer.alloc(Math.max(piece, 4096), written % 251), { flag: 'a' });
        } catch (error) {
          if ((error as { code?: string }).code === 'ENOSPC') return;
          throw error;
        }
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
  };
}

const show = (counts: ReadonlyMap<number | null, number>) =>
  [...counts].map(([status, times]) => `${status ?? 'none'} × ${times}`).join(', ');

async function pictureOf(number: number): Promise<string> {
  const noise = { type: 'gaussian' as const, mean: 100 + (number % 100), sigma: 50 };
  const jpeg = await sharp({ create: { width: 384, height: 480, channels: 3, background: '#777777', noise } })
    .jpeg()
    .toBuffer();
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
}

/** What somebody was told is saved; what they asked for without an answer may be there, or not. */
interface Written {
  readonly acknowledged: Set<string>;
  readonly asked: Set<string>;
}

/** Saves a text. @returns the status, or null when nothing answered */
async function save(person: Person, imgURL: string, bio: string, written: Written): Promise<number | null> {
  written.asked.add(bio);
  const answer = await person
    .ask('PUT', `/api/users/${person.uid}`, person.document(imgURL, { bio }))
    .catch(() => null);
  if (answer?.ok) {
    written.acknowledged.clear();
    written.acknowledged.add(bio);
    written.asked.clear();
  }
  await answer?.arrayBuffer();
  return answer?.status ?? null;
}

test('this machine lets the tests have a disk of their own', () => {
  const { status, stderr } = spawnSync('unshare', process.getuid?.() === 0 ? ['-m', 'true'] : ['-Urm', 'true'], {
    encoding: 'utf8',
  });
  expect(status, `Run them as root, or allow user namespaces (${stderr}).`).toBe(0);
});

describe.each([
  { where: 'beside the pictures, as it usually is', isOneDisk: true },
  { where: 'on another disk', isOneDisk: false },
])('with the database $where', ({ isOneDisk }) => {
  test('a disk that fills up refuses pictures first, then saving, loses nothing, and works again when there is room', async () => {
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
      onSmallDisk(DATA_DIR, isOneDisk ? 180 : 60),
    );
    expect(product.ready, product.output).toBe(true);
    const disk = diskOf(product, DATA_DIR);
    const connection = other
      ? { ...inject('databases').superuser, database: other.connection.database }
      : await connectionInside(product, DATA_DIR);
    const person = await signUpAt(origin, connection);
    const first = await person.ask('PUT', `/api/users/${person.uid}`, person.document(await pictureOf(0)));
    expect(first.status, await first.clone().text()).toBe(200);
    const { imgURL } = (await first.json()) as { imgURL: string };
    const written: Written = { acknowledged: new Set(), asked: new Set() };

    // Pictures come until there is room for none: nobody is told anything but yes, or that there is no room.
    disk.fill(34 * megabyte);
    const answers = new Map<number, number>();
    for (let number = 1; number <= 200 && !answers.has(507); number++) {
      const body = { album: 'Full', title: `Photo ${number}`, audience: 'members', image: await pictureOf(number) };
      const { status } = await person.ask('POST', '/api/gallery/photos', body);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (number === 20) disk.fill(31 * megabyte);
      if (number >= 20) await expect.poll(() => disk.free() < 32 * megabyte).toBe(true);
    }
    expect([...answers.keys()].toSorted((one, other) => one - other)).toEqual([200, 507]);
    for (let number = 0; number < 20; number++) {
      expect(await save(person, imgURL, `text ${number}`, written)).toBe(200);
    }
    expect((await person.ask('GET', `/api/users/${person.uid}`)).status).toBe(200);

    // No room for anything: what can be answered is, nothing is an unexpected error, and nothing that was said is untrue.
    disk.fill(0);
    const seen = new Map<number | null, number>();
    const note = (status: number | null) => seen.set(status, (seen.get(status) ?? 0) + 1);
    for (let number = 0; number < 300; number++) {
      note(await save(person, imgURL, `${number} ${'word '.repeat(28)}`, written));
      disk.fill(0);
      // Its log needs a new file, as it would after so and so many megabytes: that is what it cannot do without.
      if (isOneDisk && number % 10 === 9) await switchLog(connection);
    }
    if (isOneDisk) expect([...seen.keys()]).toContain(503);
    for (let number = 0; number < 3; number++) {
      const body = { album: 'Full', title: 'More', audience: 'members', image: await pictureOf(number) };
      note((await person.ask('POST', '/api/gallery/photos', body)).status);
    }
    expect([...seen.keys()].filter((status) => status !== 200 && status !== 503 && status !== 507)).toEqual([]);
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    expect(product.child.exitCode).toBeNull();

    // Room again, and nothing else.
    disk.makeRoom();
    const since = performance.now();
    await expect.poll(() => save(person, imgURL, 'after it', written), { timeout: 90_000, interval: 500 }).toBe(200);
    const back = Math.round(performance.now() - since);
    await expect
      .poll(
        async () => {
          const body = { album: 'Full', title: 'Again', audience: 'members', image: await pictureOf(7) };
          return (await person.ask('POST', '/api/gallery/photos', body)).status;
        },
        { timeout: 30_000, interval: 500 },
      )
      .toBe(200);
    const profile = (await (await person.ask('GET', `/api/users/${person.uid}`)).json()) as { bio: string };
    expect([...written.acknowledged, ...written.asked]).toContain(profile.bio);
    expect((await person.ask('GET', imgURL)).status).toBe(200);

    // Everything that the database has can be read, and every picture that it names is there, whole.
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
      `Answers while pictures came: ${show(answers)}; while there was no room: ${show(seen)}; saving again after ${back} ms`,
    );
    expect(product.said()).toContain('No space left on the disk');
    expect(product.said()).not.toContain('unexpected error');
    await end(product.child, 'SIGTERM');
    await other?.drop();
  });
});

/** Makes the database begin a new file of its log, or break for lack of room. */
async function switchLog(connection: pg.PoolConfig): Promise<void> {
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select pg_switch_wal()');
  } catch {
    // It cannot be reached, or has just broken; the saves tell what members see of that.
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The embedded database of a product whose data folder is in a mount namespace of its own. */
async function connectionInside({ child }: Product, dataDir: string): Promise<pg.PoolConfig> {
  const place = join('/proc', String(child.pid), 'root', dataDir);
  const server = await connectToRunningEmbedded({ dataDir: place, user: null });
  if (!server) throw new Error(`No database answers in ${place}.`);
  return server.superuser;
}

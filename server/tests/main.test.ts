import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import pg from 'pg';
import { termsVersion } from '#contract/terms.ts';
import { connectToRunningEmbedded } from '#server/platform/embedded-postgres/server.ts';
import { startFakeS3 } from '#server/testing/fake-s3.ts';
import { freePort } from '#server/testing/free-port.ts';
import { openInbox } from '#server/testing/inbox.ts';
import {
  cleanUp,
  readDatabasePid,
  end,
  deleteLater,
  isAlive,
  newDataFolder,
  newFolder,
  run,
  stopLater,
} from '#server/testing/server-process.ts';

/*
 * The server as an operator runs it: a separate process with the embedded PostgreSQL that is started, killed and
 * restarted. The pages are not built; the browser tests cover them.
 */

const root = join(import.meta.dirname, '..', '..');
const isRoot = process.getuid?.() === 0;

afterEach(cleanUp);

const findWorkerProcesses = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '' && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.ts'))
    .map(Number);

describe('the server process', () => {
  test(
    'prints five lines when it is ready, one of them about the unnamed controller, and stops its database when it ends',
    { tags: ['spec-1.15'] },
    async () => {
      const [PORT, DATA_DIR] = [String(await freePort()), newFolder()];
      const { child, output, ready, readOutput } = await run({ PORT, DATA_DIR });
      expect(ready, output).toBe(true);
      expect(output.trim().split('\n')).toEqual([
        `Ready    http://localhost:${PORT}`,
        expect.stringMatching(
          new RegExp(`^Data     ${DATA_DIR} \\(embedded PostgreSQL \\d+\\.\\d+\\)$`, 'u'),
        ) as string,
        `Mails    not sent; read them at http://localhost:${PORT}/dev/mail (set SMTP_URL to send them)`,
        'Privacy  the privacy page does not name who is responsible for the data; set privacy.controller in institution.json',
        'Stop     press Ctrl-C',
      ]);
      expect((await fetch(`http://localhost:${PORT}/readyz`)).status).toBe(200);
      const pid = readDatabasePid(DATA_DIR);
      await end(child, 'SIGINT');
      expect(existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))).toBe(false);
      await expect.poll(() => isAlive(pid)).toBe(false);
      // No further output, because nothing failed.
      expect(readOutput()).toBe(output);
    },
  );

  test(
    'prints four lines in production if the controller is named, and one JSON line per request',
    { tags: ['release'] },
    async () => {
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      const INSTITUTION_FILE = join(newFolder(), 'institution.json');
      const institution = JSON.parse(readFileSync(join(root, 'institution.json'), 'utf8')) as object;
      writeFileSync(INSTITUTION_FILE, JSON.stringify({ ...institution, privacy: { controller: 'Olumo University' } }));
      const { output, readOutput } = await run({ PORT, DATA_DIR, INSTITUTION_FILE, NODE_ENV: 'production' });
      expect(output.trim().split('\n').filter(Boolean)).toEqual([
        expect.stringMatching(/^Ready /u),
        expect.stringMatching(/^Data /u),
        expect.stringMatching(/^Mails /u),
        expect.stringMatching(/^Stop /u),
      ]);
      await fetch(`http://localhost:${PORT}/api/identity/session`);
      await expect.poll(() => readOutput().slice(output.length)).toMatch(/^\{.*"msg":"request"\}\n$/u);
    },
  );

  test('takes over the database of a killed process with all data', { tags: ['release'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    const first = await run({ PORT, DATA_DIR });
    const origin = `http://localhost:${PORT}`;
    const signUp = await fetch(`${origin}/api/identity/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email: 'survivor@mail.example', password: 'a long enough word', terms: termsVersion }),
    });
    expect(signUp.status).toBe(200);
    const pid = readDatabasePid(DATA_DIR);
    await end(first.child, 'SIGKILL');
    expect(isAlive(pid)).toBe(true);

    const second = await run({ PORT, DATA_DIR });
    expect(second.output).toContain('adopted from a killed process');
    const signIn = await fetch(`${origin}/api/identity/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email: 'survivor@mail.example', password: 'a long enough word' }),
    });
    expect(signIn.status).toBe(200);
    await end(second.child, 'SIGTERM');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test(
    'shares its port among WORKERS processes, replaces a process that is killed, and stops all processes together',
    { tags: ['release'] },
    async () => {
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      const { child, output, ready, readOutput } = await run({ PORT, DATA_DIR, WORKERS: '2' }, [
        process.execPath,
        'server/main.ts',
      ]);
      expect(ready, output).toBe(true);
      expect(output).toContain(`http://localhost:${PORT} (2 processes)`);
      const answers = async () => (await fetch(`http://localhost:${PORT}/readyz`)).status;
      expect(await answers()).toBe(200);
      const workers = () => findWorkerProcesses(child.pid ?? 0);
      const [first = 0, second = 0, ...others] = workers();
      expect([first, second].every(isAlive)).toBe(true);
      expect(others).toEqual([]);
      process.kill(first, 'SIGKILL');
      await expect.poll(() => workers().filter((pid) => pid !== first).length, { timeout: 60_000 }).toBe(2);
      expect(readOutput()).toContain('A worker process exited and is being replaced');
      expect(await answers()).toBe(200);
      const last = workers();
      await end(child, 'SIGTERM');
      expect([...last, second].some(isAlive)).toBe(false);
      expect(existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))).toBe(false);
    },
  );

  test('leaves no worker processes behind when the primary process is killed', { tags: ['release'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    const { child } = await run({ PORT, DATA_DIR, WORKERS: '2' }, [process.execPath, 'server/main.ts']);
    const workers = findWorkerProcesses(child.pid ?? 0);
    expect(workers).toHaveLength(2);
    const database = readDatabasePid(DATA_DIR);
    await end(child, 'SIGKILL');
    await expect.poll(() => workers.some(isAlive), { timeout: 60_000 }).toBe(false);
    const again = await run({ PORT, DATA_DIR });
    expect(again.output).toContain('adopted from a killed process');
    await end(again.child, 'SIGTERM');
    await expect.poll(() => isAlive(database)).toBe(false);
  });

  test('sends a mail that was being sent when the previous process was killed', { tags: ['release'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    // A mail server that accepts connections but does not respond.
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const first = await run({ PORT, DATA_DIR, SMTP_URL: `smtp://127.0.0.1:${port}` });
    const origin = `http://localhost:${PORT}`;
    const called = once(silent, 'connection');
    const signedUp = await fetch(`${origin}/api/identity/sign-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ email: 'waiting@mail.example', password: 'a long enough word', terms: termsVersion }),
    });
    expect(signedUp.status).toBe(200);
    await called;
    await end(first.child, 'SIGKILL');
    silent.close();

    const inbox = await openInbox();
    const second = await run({ PORT, DATA_DIR, SMTP_URL: inbox.url });
    expect(second.ready, second.output).toBe(true);
    await inbox.next('waiting@mail.example', 'Verify your email address');
    await end(second.child, 'SIGTERM');
    await inbox.close();
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'exits when npm, which started it, receives %s, and can be started again immediately',
    { tags: ['release'] },
    async (signal) => {
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      const first = await run({ PORT, DATA_DIR }, ['npm', 'start']);
      expect(first.ready, first.output).toBe(true);
      await end(first.child, signal);
      const second = await run({ PORT, DATA_DIR }, ['npm', 'start']);
      expect(second.ready, second.output).toBe(true);
      const pid = readDatabasePid(DATA_DIR);
      await end(second.child, signal);
      await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    },
  );

  test(
    'refuses to start in a data folder that is in use, without disturbing the first process',
    { tags: ['release'] },
    async () => {
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      await run({ PORT, DATA_DIR });
      const second = await run({ PORT: String(await freePort()), DATA_DIR });
      expect(second.ready).toBe(false);
      expect(second.output).toContain('Another process of the archive is using the data');
      expect((await fetch(`http://localhost:${PORT}/readyz`)).status).toBe(200);
    },
  );

  test(
    'exits when another process has taken its data folder, even if the shutdown hangs',
    { tags: ['release'] },
    async () => {
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      const script = `
      import { runUntilSignal } from '${join(root, 'server/main.ts')}';
      const loadWeb = ({ shutdown }) => {
        shutdown.drain = () => new Promise(() => undefined);
        return null;
      };
      await runUntilSignal({ loadWeb });
    `;
      // A start that adopts a running database is not its parent process, so the database can end unnoticed.
      await end((await run({ PORT, DATA_DIR })).child, 'SIGKILL');
      const first = await run({ PORT, DATA_DIR }, [process.execPath, '--input-type=module', '-e', script]);
      expect(first.output).toContain('adopted from a killed process');
      // The suspended process does not notice that its database ends, until another one uses the folder.
      first.child.kill('SIGSTOP');
      process.kill(readDatabasePid(DATA_DIR), 'SIGKILL');
      const second = await run({ PORT: String(await freePort()), DATA_DIR });
      expect(second.ready, second.output).toBe(true);
      const ended = once(first.child, 'exit');
      first.child.kill('SIGCONT');
      expect((await ended)[0], first.readOutput()).toBe(1);
      expect(first.readOutput()).toContain('Another process of the archive is using the data');
      expect(first.readOutput()).toContain('Shutdown timed out after 9.5 seconds');
    },
  );

  test('exits immediately on a second signal, and stops the database', { tags: ['release'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    const { child } = await run({ PORT, DATA_DIR });
    const pid = readDatabasePid(DATA_DIR);
    // The first signal waits for a request body that never arrives.
    const socket = connect(Number(PORT), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /api/identity/sign-in HTTP/1.1\r\nHost: localhost:${PORT}\r\nOrigin: http://localhost:${PORT}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 60\r\nExpect: 100-continue\r\n\r\n',
    );
    // The server has received the head of the request.
    await once(socket, 'data');
    const ended = once(child, 'exit');
    const again = setInterval(() => child.kill('SIGTERM'), 200);
    await ended;
    clearInterval(again);
    expect(child.exitCode).toBe(1);
    socket.destroy();
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
  });

  test('stops the database when the start fails', { tags: ['release'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    const first = await run({ PORT, DATA_DIR });
    await end(first.child, 'SIGTERM');
    writeFileSync(join(DATA_DIR, 'secrets', 'postgres-password'), 'another one');
    const second = await run({ PORT, DATA_DIR });
    expect(second.output).toContain('rejects the password');
    expect(existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))).toBe(false);
  });

  test('keeps personal data out of the database log', { tags: ['asvs-16.2.5'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    await run({ PORT, DATA_DIR });
    const borrowed = await connectToRunningEmbedded({ dataDir: DATA_DIR, user: null });
    const client = new pg.Client({ ...borrowed?.connection });
    await client.connect();
    await client.query('create temp table people (email text unique)');
    const insert = `insert into people values ('ada@mail.example')`;
    await client.query(insert);
    await expect(client.query(insert)).rejects.toThrow('duplicate key');
    await client.end();
    const log = readFileSync(join(DATA_DIR, 'postgres.log'), 'utf8');
    expect(log).toContain('duplicate key value violates unique constraint "people_email_key"');
    expect(log).not.toContain('mail.example');
  });

  test('rotates a large database log at the start, and keeps one old file', { tags: ['release'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    const log = join(DATA_DIR, 'postgres.log');
    for (const letter of ['a', 'b']) {
      writeFileSync(log, letter.repeat(10_000_001));
      const { child, ready, output } = await run({ PORT, DATA_DIR });
      expect(ready, output).toBe(true);
      expect(statSync(log).size).toBeLessThan(100_000);
      expect(readFileSync(`${log}.old`, 'utf8')).toBe(letter.repeat(10_000_001));
      await end(child, 'SIGTERM');
      expect(readFileSync(log, 'utf8')).toContain('database system is shut down');
    }
    const before = statSync(log).size;
    await end((await run({ PORT, DATA_DIR })).child, 'SIGTERM');
    expect(statSync(log).size).toBeGreaterThan(before);
  });

  test('fails with advice when the port is taken, and stops its database', { tags: ['release'] }, async () => {
    const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(PORT), '127.0.0.1', resolve));
    const { ready, output } = await run({ PORT, DATA_DIR });
    expect(ready).toBe(false);
    expect(output).toContain(`Port ${PORT} is already in use`);
    expect(output).toContain(`PORT=${Number(PORT) + 1} npm start`);
    expect(existsSync(join(DATA_DIR, 'postgres', 'postmaster.pid'))).toBe(false);
    await new Promise((resolve) => other.close(resolve));
  });

  test('deletes the uploaded rosters and exports of the data folder after a change to a bucket', async () => {
    const fake = await startFakeS3();
    stopLater(() => fake.close());
    const DATA_DIR = await newDataFolder();
    const files = ['roster/1.upload', 'exports/one.csv'].map((name) => join(DATA_DIR, name));
    for (const path of files) {
      mkdirSync(dirname(path));
      writeFileSync(path, 'names');
    }
    const exist = () => files.map((path) => existsSync(path));
    const folder = await run({ PORT: String(await freePort()), DATA_DIR });
    await end(folder.child, 'SIGTERM');
    expect([folder.ready, ...exist()]).toEqual([true, true, true]);
    const MEDIA_URL = `s3://pictures/archive?endpoint=${fake.origin}`;
    const bucket = await run({ PORT: String(await freePort()), DATA_DIR, MEDIA_URL, ...fake.environment });
    expect([bucket.ready, ...exist()]).toEqual([true, false, false]);
  });

  test('prints an invalid setting as one line without a stack trace', async () => {
    const { ready, output } = await run({ PORT: 'three', INSTITUTION_FILE: '/no/such/file.json' });
    expect(ready).toBe(false);
    expect(output.trim()).toBe('PORT must be a whole number from 1 to 65535, e.g. PORT=3000.');
  });

  test('works with a data folder whose path is too long for a Unix socket', { tags: ['release'] }, async () => {
    const listSockets = () => readdirSync(tmpdir()).filter((name) => name.startsWith('archive-socket-'));
    // Those of other servers on this machine.
    const before = listSockets();
    const deep = join(newFolder(), 'a'.repeat(60), 'b'.repeat(60));
    mkdirSync(deep, { recursive: true });
    const [PORT, DATA_DIR] = [String(await freePort()), join(deep, 'data')];
    for (let visit = 0; visit < 2; visit++) {
      const { child, ready, output } = await run({ PORT, DATA_DIR });
      expect(ready, output).toBe(true);
      await end(child, 'SIGTERM');
    }
    expect(listSockets().filter((name) => !before.includes(name))).toEqual([]);
  });

  test(
    'serves the sources with npm run dev, and restarts only when server files change',
    { tags: ['release'] },
    async () => {
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      const { child, ready, output, readOutput } = await run({ PORT, DATA_DIR }, ['npm', 'run', 'dev']);
      expect(ready, output).toBe(true);
      const page = await fetch(`http://localhost:${PORT}/login`);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('/@vite/client')]);
      expect((await fetch(`http://localhost:${PORT}/web/entry-client.tsx`)).status).toBe(200);
      expect(await (await fetch(`http://localhost:${PORT}/dev/mail-samples`)).text()).toContain(
        'Your password was changed',
      );
      expect(readOutput()).not.toContain('Restarting');
      const now = new Date();
      utimesSync(join(root, 'server', 'main.ts'), now, now);
      await expect.poll(() => readOutput().split('Ready').length - 1, { timeout: 60_000 }).toBe(2);
      const pid = readDatabasePid(DATA_DIR);
      await end(child, 'SIGTERM');
      await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false);
    },
  );

  test(
    'does not use a socket folder that other users can enter, or a symbolic link',
    { tags: ['asvs-13.2.1'] },
    async () => {
      const deep = join(newFolder(), 'a'.repeat(60), 'b'.repeat(60));
      mkdirSync(deep, { recursive: true });
      const [PORT, DATA_DIR] = [String(await freePort()), join(deep, 'data')];
      const open = newFolder();
      const link = join(newFolder(), 'link');
      symlinkSync(open, link);
      for (const trap of [open, link]) {
        mkdirSync(join(DATA_DIR, 'secrets'), { recursive: true });
        chmodSync(DATA_DIR, 0o711);
        writeFileSync(join(DATA_DIR, 'secrets', 'socket-folder'), trap);
        const { child, ready, output } = await run({ PORT, DATA_DIR });
        expect(ready, output).toBe(true);
        expect(readdirSync(open)).toEqual([]);
        await end(child, 'SIGTERM');
      }
    },
  );

  test.runIf(isRoot)(
    'stores its data under /var/lib if it runs as root and the user nobody cannot reach the data folder',
    { tags: ['release'] },
    async () => {
      const closed = newFolder();
      chmodSync(closed, 0o700);
      const [PORT, DATA_DIR] = [String(await freePort()), join(closed, 'checkout', 'data')];
      const { child, ready, output } = await run({ PORT, DATA_DIR });
      expect(ready, output).toBe(true);
      const [, place = ''] = /Data\s+(\/var\/lib\/campus-alumni-archive\/\S+)/u.exec(output) ?? [];
      deleteLater(place);
      expect(output).toContain(`here because user nobody cannot reach ${DATA_DIR}`);
      expect(statSync(join(place, 'postgres')).mode & 0o777).toBe(0o700);
      await end(child, 'SIGTERM');
      // The data stay there even after the folder has become accessible.
      chmodSync(closed, 0o755);
      const again = await run({ PORT, DATA_DIR });
      expect(again.output).toContain(place);
    },
  );
});

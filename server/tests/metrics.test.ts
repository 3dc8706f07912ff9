import { readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { measureArchive, measureProcess } from '#server/startup/register-metrics.ts';
import { findAuditHead, recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { writeLastBackup } from '#server/platform/storage/last-backup.ts';
import { createMailer } from '#server/platform/mail/mailer.ts';
import { countMails } from '#server/platform/mail/mail-metrics.ts';
import { openDatabase } from '#server/db/client.ts';
import { createContext } from '#server/startup/create-context.ts';
import { createApp } from '#server/app/app.ts';
import { createLog } from '#server/platform/log/log.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { exhaustQueued } from '#server/testing/jobs.ts';
import { findFailedJobs, retryJob } from '#server/platform/jobs/failed-jobs.ts';
import { freePort } from '#server/testing/free-port.ts';
import { cleanUp, end, newDataFolder, run } from '#server/testing/server-process.ts';
import { createTestWeb } from '#server/testing/pages.ts';

const token = 'a token that is long enough'.replaceAll(' ', '-');

let archive: TestArchive;
let origin: string;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), { METRICS_TOKEN: token }, createTestWeb());
  measureProcess(archive.context.metrics, { database: archive.pool });
  measureArchive(archive.context);
  await archive.app.listen({ port: 0, host: '127.0.0.1' });
  origin = `http://127.0.0.1:${(archive.app.server.address() as AddressInfo).port}`;
});
afterAll(() => archive.close());

const scrape = async (at = origin): Promise<string> => (await fetch(`${at}/metrics`)).text();

function sumSeries(text: string, name: string, labels: Readonly<Record<string, string>> = {}): number {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .filter((line) => Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('access to /metrics', () => {
  test('is allowed from this machine, and from elsewhere with the token', async () => {
    const direct = await fetch(`${origin}/metrics`);
    expect(direct.headers.get('x-content-type-options')).toBe('nosniff');
    expect([direct.status, direct.headers.get('content-type'), direct.headers.get('cache-control')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
      'no-store',
    ]);
    const remote = archive.openDevice();
    const answer = await remote.fetch('GET', '/metrics', undefined, { authorization: `Bearer ${token}` });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('archive_build_info')]);
  });

  test('is denied to others with the same 404 as unknown paths', { tags: ['asvs-13.4.5'] }, async () => {
    const app = await archive.startSecondServer();
    const ask = (url: string, headers: Record<string, string> = {}) =>
      app.inject({ url, headers, remoteAddress: '127.0.0.1' });
    expect((await ask('/metrics')).statusCode).toBe(200);
    const unknown = await ask('/metrices');
    // Behind a proxy or tunnel on this machine, every visitor has a local address.
    for (const header of [
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded',
      'forwarded',
      'x-real-ip',
      'via',
      'client-ip',
      'x-client-ip',
      'x-cluster-client-ip',
      'true-client-ip',
      'cf-connecting-ip',
    ]) {
      const answer = await ask('/metrics', { [header]: '203.0.113.9' });
      expect([header, answer.statusCode, answer.body]).toEqual([header, 404, unknown.body]);
    }
    for (const authorization of ['', 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`]) {
      const answer = await app.inject({ url: '/metrics', headers: { authorization }, remoteAddress: '10.9.9.9' });
      expect([authorization, answer.statusCode, answer.body.includes('archive_')]).toEqual([authorization, 404, false]);
    }
    expect((await fetch(`${origin}/metrics`, { method: 'POST', headers: { origin } })).ok).toBe(false);
    await app.close();
  });
});

describe('GET /metrics', () => {
  test('counts and times requests by method, route pattern and status class', async () => {
    const { uid } = await archive.signUp();
    const before = await scrape();
    await fetch(`${origin}/api/users/${uid}`);
    await fetch(`${origin}/api/users/${uid}?secret=1`);
    await fetch(`${origin}/api/${uid}`);
    await fetch(`${origin}/home`);
    const text = await scrape();
    const grown = (name: string, labels: Record<string, string>) =>
      sumSeries(text, name, labels) - sumSeries(before, name, labels);
    const profile = '/api/users/:id';
    expect(grown('archive_http_requests_total', { method: 'GET', route: profile, status: '4xx' })).toBe(2);
    expect(grown('archive_http_request_seconds_count', { route: profile })).toBe(2);
    expect(grown('archive_http_requests_total', { route: '/api/*', status: '4xx' })).toBe(1);
    expect(grown('archive_page_render_seconds_count', {})).toBe(1);
    // The scrape itself is not counted.
    expect(sumSeries(text, 'archive_http_requests_in_flight')).toBe(0);
    expect(text).not.toContain(uid);
    expect(text).not.toContain('secret');
  });

  test('counts open event streams', async () => {
    const { device } = await archive.signUp();
    const leave = new AbortController();
    const cookie = [...device.cookies].map((pair) => pair.join('=')).join('; ');
    await fetch(`${origin}/api/notifications/stream`, { headers: { cookie }, signal: leave.signal });
    expect(sumSeries(await scrape(), 'archive_event_streams_open')).toBe(1);
    leave.abort();
    await expect.poll(async () => sumSeries(await scrape(), 'archive_event_streams_open')).toBe(0);
    expect(
      sumSeries(await scrape(), 'archive_http_request_seconds_count', { route: '/api/notifications/stream' }),
    ).toBe(0);
  });

  test('counts sign-ins by result, and refused requests by limit', { tags: ['asvs-16.3.3'] }, async () => {
    const { email, password } = await archive.signUp();
    const device = archive.openDevice();
    await device.call('POST /api/identity/sign-in', { body: { email, password } });
    const wrong = { body: { email, password: 'a wrong word' } };
    const stranger = archive.openDevice();
    for (let attempt = 0; attempt < 5; attempt++) await stranger.problem('POST /api/identity/sign-in', wrong);
    const line = archive.logged.length;
    const answer = await fetch(`${origin}/api/identity/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://localhost:3000' },
      body: JSON.stringify(wrong.body),
    });
    expect(answer.status).toBe(401);
    expect(await stranger.code('POST /api/identity/sign-in', wrong)).toBe('auth/too-many-requests');
    const text = await scrape();
    const results = ['ok', 'refused', 'too-many'].map((result) =>
      sumSeries(text, 'archive_sign_ins_total', { result }),
    );
    expect(results).toEqual([1, 6, 1]);
    expect(sumSeries(text, 'archive_refused_total', { limit: 'signInByAccountAndAddress' })).toBe(1);
    expect(archive.logged.slice(line).join('')).not.toContain('"limit"');
    expect(text).not.toContain('mail.example');
  });

  test('counts requests that the browsing limits refused', async () => {
    const small = { addressFactor: 1, maxDelayMs: 1 };
    const other = await openArchive(inject('databases'), { BROWSE_PAGES_PER_HOUR: '1' }, null, { browsing: small });
    try {
      const guest = other.openDevice();
      const looks = [];
      for (let look = 0; look < 3; look++) looks.push((await guest.fetch('GET', '/api/users')).statusCode);
      expect(looks.at(-1)).toBe(429);
      const text = await other.context.metrics.text();
      expect(sumSeries(text, 'archive_refused_total', { limit: 'browse:pages:guests:hour' })).toBeGreaterThan(0);
      expect(text).not.toContain(guest.ip);
    } finally {
      await other.close();
    }
  });

  test('returns jobs by state, and mails by result', async () => {
    await archive.signUp();
    const waiting = await scrape();
    const [task] = /(?<=archive_jobs\{task=")[^"]+(?=",state="waiting",process="main"\} [1-9])/u.exec(waiting) ?? [];
    expect(task).toBeDefined();
    const sentBefore = sumSeries(waiting, 'archive_mails_total', { result: 'sent' });
    archive.inbox.refuse(true);
    await archive.runJobs();
    archive.inbox.refuse(false);
    const refused = await scrape();
    expect(sumSeries(refused, 'archive_jobs', { state: 'retrying' })).toBeGreaterThan(0);
    expect(sumSeries(refused, 'archive_mails_total', { result: 'refused' })).toBeGreaterThan(0);
    await archive.advanceTime('1 hour');
    expect(sumSeries(await scrape(), 'archive_jobs_overdue_seconds')).toBeGreaterThan(3_000);
    await exhaustQueued(archive.context.db);
    archive.inbox.refuse(true);
    await archive.runJobs();
    archive.inbox.refuse(false);
    expect(sumSeries(await scrape(), 'archive_jobs', { state: 'failed' })).toBeGreaterThan(0);
    for (const job of await findFailedJobs(archive.context.db)) await retryJob(archive.context.db, job);
    await archive.runJobs();
    const sent = await scrape();
    expect(sumSeries(sent, 'archive_mails_total', { result: 'sent' })).toBeGreaterThan(sentBefore);
    expect(sumSeries(sent, 'archive_jobs')).toBe(0);
  });

  test('counts mails that fail because the mail server is unreachable or rejects the password', async () => {
    const port = await freePort();
    const mailer = createMailer({ mail: { smtpUrl: `smtp://127.0.0.1:${port}`, from: 'a@b.example' }, dataDir: '' });

    const message = { to: 'x@mail.example', subject: 's', text: 't', html: 'h' };
    const attempt = { jobId: 'one', signal: new AbortController().signal };
    await expect(countMails(mailer, archive.context.metrics).send(message, attempt)).rejects.toThrow(
      'Mail server unavailable',
    );
    mailer.close();
    const refusing = createServer((socket) => {
      socket.write('220 here\r\n');
      socket.on('data', (data) => {
        const isHello = data.toString().startsWith('EHLO');
        socket.write(isHello ? '250-here\r\n250 AUTH PLAIN\r\n' : '535 5.7.8 wrong\r\n');
      });
      socket.on('error', () => undefined);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => refusing.once('listening', resolve));
    const smtpUrl = `smtp://name:word@127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    const other = createMailer({ mail: { smtpUrl, from: 'a@b.example' }, dataDir: '' });
    await expect(countMails(other, archive.context.metrics).send(message, attempt)).rejects.toThrow('535');
    other.close();
    refusing.close();
    const text = await scrape();
    for (const result of ['unreachable', 'login'])
      expect(sumSeries(text, 'archive_mails_total', { result }), result).toBe(1);
  });

  test('returns the time of the last backup, if there is one', async () => {
    const name = 'archive_last_backup_time_seconds';
    const { dataDir } = archive.context.config;
    expect(await scrape()).not.toContain(`${name}{`);
    await writeLastBackup(dataDir, { madeAt: new Date(1_700_000_000_500), bytes: 12 });
    expect(sumSeries(await scrape(), name)).toBe(1_700_000_000.5);
    rmSync(join(dataDir, 'backup.json'));
    expect(await scrape()).not.toContain(`${name}{`);
  });

  test('returns the number of claims by state, and the age of the oldest claim that waits', async () => {
    const { uid } = await archive.signUp();
    await archive.pool.query(
      `insert into claims (account_id, typed, state, created_at)
       values ($1, '{}', 'waiting', now() - interval '1 hour'), ($1, '{}', 'rejected', now() - interval '1 day')`,
      [uid],
    );
    const text = await scrape();
    for (const state of ['waiting', 'rejected']) expect(sumSeries(text, 'archive_claims', { state })).toBe(1);
    expect(sumSeries(text, 'archive_claims_oldest_seconds')).toBeGreaterThanOrEqual(3600);
    expect(sumSeries(text, 'archive_disputes_open')).toBe(0);
    expect(sumSeries(text, 'archive_review_items', { kind: 'claim' })).toBe(1);
    expect(sumSeries(text, 'archive_review_oldest_seconds', { kind: 'claim' })).toBeGreaterThanOrEqual(3600);
    expect(sumSeries(text, 'archive_review_items', { kind: 'report' })).toBe(0);
  });

  test('returns the number of audit records, and the hash of the last one', async () => {
    expect(await scrape()).not.toContain('archive_audit_head_info{hash');
    await recordStaffAction(archive.context.db, { actor: null, action: 'codes-printed' });
    const text = await scrape();
    expect(sumSeries(text, 'archive_audit_records')).toBe(1);
    const hash = (await findAuditHead(archive.context.db))?.hash ?? '';
    expect(hash).toMatch(/^[0-9a-f]{32}$/u);
    expect(sumSeries(text, 'archive_audit_head_info', { hash })).toBe(1);
  });

  test('returns the number of people by audience, connections of the pool, and process statistics', async () => {
    await archive.createMember();
    const text = await scrape();
    expect(sumSeries(text, 'archive_people', { audience: 'members' })).toBe(1);
    expect(sumSeries(text, 'archive_database_connections', { pool: 'database', state: 'idle' })).toBeGreaterThan(0);
    expect(sumSeries(text, 'archive_database_up')).toBe(1);
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
      'process_resident_memory_bytes',
    ])
      expect(sumSeries(text, name), name).toBeGreaterThan(0);
    expect(text).toMatch(/archive_postgresql_info\{version="\d+\.\d+",process="main"\} 1/u);
    expect(text).toMatch(/archive_build_info\{version="\d+\.\d+\.\d+",process="main"\} 1/u);
  });
});

describe('monitoring endpoints', () => {
  test.each([
    ['refuses connections', () => Promise.resolve({ port: 1, close: () => undefined })],
    [
      'accepts connections but does not respond',
      async () => {
        const silent = createServer().listen(0, '127.0.0.1');
        await new Promise((resolve) => silent.once('listening', resolve));
        return { port: (silent.address() as AddressInfo).port, close: () => silent.close() };
      },
    ],
  ])('report at /metrics and /readyz within four seconds that the database %s', async (_, open) => {
    const { port, close } = await open();
    const database = openDatabase({ host: '127.0.0.1', port, user: 'x', database: 'x' }, () => undefined);
    const context = createContext(archive.context.config, archive.context.institution, database);
    measureArchive(context);
    const app = await createApp(context, createLog('silent'), null);
    try {
      const started = performance.now();
      const [scraped, ready, alive] = await Promise.all(
        ['/metrics', '/readyz', '/healthz'].map((url) => app.inject({ url, remoteAddress: '127.0.0.1' })),
      );
      expect(performance.now() - started).toBeLessThan(4_000);
      expect([scraped?.statusCode, sumSeries(scraped?.body ?? '', 'archive_database_up')]).toEqual([200, 0]);
      expect(scraped?.body).toContain('archive_database_up{process="main"} 0');
      expect([ready?.statusCode, ready?.headers['retry-after'], ready?.body]).toEqual([
        503,
        '5',
        'not ready: database (no response)\n',
      ]);
      expect(alive?.statusCode).toBe(200);
    } finally {
      await app.close();
      await database.close();
      close();
    }
  });

  test('return 503 at /readyz for tables of an older version, and 200 for tables of a newer version', async () => {
    const ready = async () => archive.openDevice().fetch('GET', '/readyz');
    const { rows } = await archive.pool.query<{ name: string }>(
      'delete from kysely_migration where name = (select max(name) from kysely_migration) returning name, timestamp',
    );
    const older = await ready();
    expect([older.statusCode, older.body]).toEqual([503, expect.stringContaining('not ready: migrations (')]);
    await archive.pool.query(`insert into kysely_migration values ($1, now()), ('999-later', now())`, [rows[0]?.name]);
    expect((await ready()).body).toBe('ready\n');
    await archive.pool.query('alter table kysely_migration rename to kysely_migration_away');
    const empty = await ready();
    await archive.pool.query('alter table kysely_migration_away rename to kysely_migration');
    expect([empty.statusCode, empty.body]).toEqual([503, expect.stringContaining('the database has no tables')]);
  });
});

const findWorkerProcesses = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '' && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('main.ts'))
    .map(Number);

describe('GET /metrics with several processes', () => {
  test(
    'returns the metrics of all processes, and a replacement process has the name of the old one',
    { tags: ['release'] },
    async () => {
      const [PORT, DATA_DIR] = [String(await freePort()), await newDataFolder()];
      const at = `http://localhost:${PORT}`;
      try {
        const { child, ready, output } = await run({ PORT, DATA_DIR, WORKERS: '2' }, [
          process.execPath,
          'server/main.ts',
        ]);
        expect(ready, output).toBe(true);
        const names = (text: string) =>
          [...text.matchAll(/^process_start_time_seconds\{process="([^"]+)"\}/gmu)]
            .map(([, name = '']) => name)
            .toSorted((a, b) => a.localeCompare(b));
        for (let look = 0; look < 4; look++) expect(names(await scrape(at))).toEqual(['main', 'web-1', 'web-2']);
        const text = await scrape(at);
        expect(text.match(/^# TYPE archive_http_requests_total counter$/gmu)).toHaveLength(1);
        expect(text).toContain('archive_database_up{process="main"} 1');
        expect(text.match(/^archive_database_up/gmu)).toHaveLength(1);
        // Each request is counted when its response ends, in the process that answered it.
        for (let request = 0; request < 6; request++) await fetch(`${at}/healthz`);
        await expect
          .poll(async () => sumSeries(await scrape(at), 'archive_http_requests_total', { route: '/healthz' }))
          .toBe(6);
        const [first = 0] = findWorkerProcesses(child.pid ?? 0);
        process.kill(first, 'SIGKILL');
        // Meanwhile the remaining processes respond.
        await expect
          .poll(() => findWorkerProcesses(child.pid ?? 0).filter((pid) => pid !== first).length, { timeout: 60_000 })
          .toBe(2);
        await expect.poll(async () => names(await scrape(at)), { timeout: 60_000 }).toEqual(['main', 'web-1', 'web-2']);
        await end(child, 'SIGTERM');
      } finally {
        await cleanUp();
      }
    },
  );
});

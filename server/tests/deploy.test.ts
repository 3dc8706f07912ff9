import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import { endpoints } from '#contract/endpoints.ts';
import { measureArchive, measureProcess } from '#server/startup/register-metrics.ts';
import { readConfig } from '#server/platform/config/config.ts';
import { type TestArchive, openArchive } from '#server/testing/archive.ts';
import { createTestWeb } from '#server/testing/pages.ts';

/* Checks the files in `deploy/` and the documentation against the server. */

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const findMetricNames = (text: string): Set<string> =>
  new Set([...text.matchAll(/\b(?:archive|nodejs|process)_[a-z0-9_]+\b(?!=)/gu)].map(([name]) => name));

let archive: TestArchive;
let exportedMetrics: Set<string>;
beforeAll(async () => {
  archive = await openArchive(inject('databases'), {}, createTestWeb());
  measureProcess(archive.context.metrics, { database: archive.pool });
  measureArchive(archive.context);
  // Running the jobs registers the metrics of the queue.
  await archive.runJobs();
  const text = await archive.context.metrics.text();
  exportedMetrics = new Set(
    [...text.matchAll(/^# TYPE (\S+) (\S+)$/gmu)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
});
afterAll(() => archive.close());

describe('deploy/grafana.json', () => {
  interface Panel {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
    readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[];
  }
  const { panels, templating } = JSON.parse(read('deploy/grafana.json')) as {
    panels: Panel[];
    templating: { list: { name: string; type: string }[] };
  };

  test('queries only metrics that /metrics exports', () => {
    const names = findMetricNames(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n'));
    expect(names.size).toBeGreaterThan(15);
    expect([...names].filter((name) => !exportedMetrics.has(name))).toEqual([]);
  });

  test('uses the data source chosen at import, and its panels do not overlap', () => {
    expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' });
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    for (const { targets = [], type, title } of panels) {
      if (type !== 'row') expect(targets.length, title).toBeGreaterThan(0);
      for (const { datasource } of targets) expect(datasource.uid).toBe('${datasource}');
    }
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, cell) => `${x + (cell % w)} ${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
  });
});

test('deploy/alerts.yaml uses only exported metrics and existing runbook sections', () => {
  const rules = read('deploy/alerts.yaml');
  const names = findMetricNames(rules);
  expect(names.size).toBeGreaterThan(6);
  expect([...names].filter((name) => !exportedMetrics.has(name))).toEqual([]);
  const headings = [...read('docs/operations.md').matchAll(/^#+ (.+)$/gmu)].map(([, heading]) => heading);
  const named = [...rules.matchAll(/runbook: 'docs\/operations\.md: (.+)'/gu)].map(([, heading]) => heading);
  expect(named).toHaveLength(rules.split('- alert:').length - 1);
  for (const heading of named) expect(headings).toContain(heading);
});

describe('deploy/nginx.conf and deploy/Caddyfile', () => {
  const [nginx, caddy] = [read('deploy/nginx.conf'), read('deploy/Caddyfile')];
  const all = Object.entries(endpoints) as [string, Endpoint][];

  test('allow the largest request body of the API', () => {
    const isRoster = (name: string) => name === 'POST /api/staff/roster/imports';
    for (const [about, matches] of [
      ['other requests', (name: string) => !isRoster(name)],
      ['roster files', isRoster],
    ] as const) {
      const largest = Math.max(...all.map(([name, { maxBodyBytes = 0 }]) => (matches(name) ? maxBodyBytes : 0)));
      expect(largest, about).toBeGreaterThan(1_000_000);
      const nginxPart = about === 'roster files' ? nginx.split('location = /api/staff/roster/imports {')[1] : nginx;
      const caddyPart = caddy.split(about === 'roster files' ? 'request_body @roster {' : 'request_body @other {')[1];
      const [, mebibytes] = /client_max_body_size (\d+)m;/u.exec(nginxPart ?? '') ?? [];
      const [, megabytes] = /max_size (\d+)MB/u.exec(caddyPart ?? '') ?? [];
      expect(Number(mebibytes) * 1024 * 1024, about).toBeGreaterThanOrEqual(largest);
      expect(Number(megabytes) * 1_000_000, about).toBeGreaterThanOrEqual(largest);
    }
  });

  test('do not buffer event streams', () => {
    const streams = all.filter(([, { events }]) => events !== undefined).map(([name]) => name.replace('GET ', ''));
    expect(streams.length).toBeGreaterThan(0);
    for (const path of streams) {
      const [, block = ''] = nginx.split(`location = ${path} {`);
      expect(block.slice(0, block.indexOf('}')), path).toContain('proxy_buffering off;');
    }
  });

  test('limit the connections of one address to 60 in nginx, except for event streams', () => {
    expect(nginx).toMatch(/^limit_conn_zone \$binary_remote_addr zone=archive_addresses:/mu);
    expect(nginx).toMatch(/^ {2}limit_conn archive_addresses 60;$/mu);
    // A location without a limit inherits that of the server.
    const limited = nginx.split(/^ {2}location /mu).filter((place) => /^ {4}limit_conn /mu.test(place));
    expect(limited.map((place) => place.split(' {')[0])).toEqual(['= /api/notifications/stream']);
  });

  test('close idle connections before the server does, and block /metrics', () => {
    const [, seconds] = /keepalive_timeout (\d+)s;/u.exec(nginx) ?? [];
    const [, idle] = /keepalive (\d+)s/u.exec(caddy) ?? [];
    for (const wait of [seconds, idle]) expect(Number(wait) * 1000).toBeLessThan(archive.app.server.keepAliveTimeout);
    expect(nginx).toMatch(/location = \/metrics \{\s*return 404;/u);
    expect(caddy).toContain('respond /metrics 404');
  });

  test('keep codes and query strings out of the logs', () => {
    const [, removed = ''] = /request>uri regexp "(.+)" "\$1"/u.exec(caddy) ?? [];
    const [, beforeCode = ''] = /"~\*(.+)" "\$before_code:code";/u.exec(nginx) ?? [];
    expect(nginx).toContain('"$request_method $uri_without_code"');
    const toCaddy = (url: string) => url.replaceAll(new RegExp(removed, 'gu'), '$1');
    // nginx logs the path without the query.
    const toNginx = (url: string) => {
      const [path = ''] = url.split('?');
      return new RegExp(beforeCode, 'iu').exec(path)?.groups?.['before_code'] ?? path;
    };
    for (const [url, logged] of [
      ['/join/7K3QMX9R2DAB', '/join/'],
      ['/JOIN/7K3QMX9R2DAB/?from=qr', '/JOIN/'],
      ['/vouch/abc', '/vouch/'],
      ['/api/membership/vouch-links/abc', '/api/membership/vouch-links/'],
      ['/not-you?code=abc', '/not-you'],
      ['/login?from=/join/7K3QMX9R2DAB', '/login'],
      ['/join', '/join'],
      ['/alumni/1', '/alumni/1'],
    ] as const)
      expect([toCaddy(url), toNginx(url)], url).toEqual([logged, logged]);
  });
});

test('the links in the documentation point to existing files and headings', () => {
  const headingsOf = (path: string) =>
    [...read(path).matchAll(/^#+ (.+)$/gmu)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\d\- ]/gu, '')
        .replaceAll(' ', '-'),
    );
  const docs = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'));
  const lost: string[] = [];
  for (const page of ['README.md', 'CONTRIBUTING.md', ...docs.map((name) => `docs/${name}`)]) {
    for (const [, link = ''] of read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/gu)) {
      const [path = '', part] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      const isThere = existsSync(join(root, target)) && (part === undefined || headingsOf(target).includes(part));
      if (!isThere) lost.push(`${page}: ${link}`);
    }
  }
  expect(lost).toEqual([]);
});

test.each(['compose.yaml', 'compose.many.yaml'])(
  '%s keeps personal data out of the database log, like the embedded database',
  (file) => {
    const embedded = read('server/platform/embedded-postgres/server-process.ts');
    const settings = [...embedded.matchAll(/^ +(log_error_verbosity|log_min_error_statement): '(\w+)',$/gmu)];
    expect(settings).toHaveLength(2);
    for (const [, name, value] of settings) expect(read(file)).toContain(`${name}=${value}`);
  },
);

test('the archives of compose.many.yaml differ in their names only, and share nothing but the superuser', () => {
  const services = read('compose.many.yaml').split(/^services:\n|^ {2}postgres:\n/mu)[1] ?? '';
  const [north = '', south = ''] = services.split(/^(?= {2}south-roles:)/mu);
  expect(north.replaceAll('north', 'south').replaceAll('NORTH', 'SOUTH').trim()).toBe(south.trim());
  expect(south).not.toMatch(/north/iu);
  for (const name of ['roles', 'archive']) expect(south).toContain(`<<: *${name}`);
});

describe('the systemd units', () => {
  const flags = /--max-semi-space-size=4 --max-old-space-size=\d+/u;

  test('start programs by absolute paths', () => {
    const program = /^ *(?:ExecStart=)?(\/opt\/archive\/node_modules\/\.bin\/node) .*scripts\/run\.mjs/mu;
    for (const file of ['deploy/archive', 'deploy/archive.service', 'deploy/archive@.service'])
      expect(read(file), file).toMatch(program);
    for (const file of ['deploy/archive-backup.service', 'deploy/archive-backup@.service'])
      expect(read(file), file).toMatch(/^ExecStart=\/bin\/sh /mu);
  });

  // Otherwise, one archive could read another one's data, or an improvement would reach only one of the files.
  test.each(['archive.service', 'archive-backup.service', 'archive-backup.timer'])(
    'of several archives are those of a single one, with the name of the archive: %s',
    (file) => {
      const settings = read(`deploy/${file}`).replaceAll(/^#.*\n/gmu, '');
      const expected = settings
        .replaceAll(/(^(?:User|Group)=archive)$/gmu, '$1-%i')
        .replaceAll('/etc/archive.env', '/etc/archive/%i.env')
        .replaceAll(/(\/var\/(?:lib|cache|backups)\/archive)\b/gu, '$1/%i')
        .replaceAll(/(DATA_DIR=\S+)/gu, '$1 INSTITUTION_FILE=/etc/archive/%i.json')
        .replaceAll(/(^(?:State|Cache)Directory=archive)$/gmu, '$1/%i')
        .replaceAll(/(^Description=.* archive)/gmu, '$1 %i')
        .replaceAll('--max-semi-space-size=8', '--max-semi-space-size=4')
        .replaceAll('RandomizedDelaySec=15min', 'RandomizedDelaySec=3h');
      expect(read(`deploy/${file.replace('.', '@.')}`).replaceAll(/^#.*\n/gmu, '')).toBe(expected);
    },
  );

  test('and compose.many.yaml start Node with the same flags', () => {
    const [unit] = flags.exec(read('deploy/archive@.service')) ?? [];
    expect(unit).toBeDefined();
    expect(read('compose.many.yaml').replaceAll(`', '`, ' ')).toContain(`node ${unit} server/main.ts`);
  });
});

test.each([
  ['doctor', 'archive', '/etc/archive.env', '/var/lib/archive'],
  ['@north doctor', 'archive-north', '/etc/archive/north.env', '/var/lib/archive/north'],
])('deploy/archive %s runs as %s with the settings in %s', (words, user, settings, data) => {
  const folder = mkdtempSync(join(tmpdir(), 'deploy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'systemd-run'), '#!/bin/sh\nprintf "%s\n" "$@"\n', { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env['PATH']}` };
  const output = execFileSync('sh', [join(root, 'deploy/archive'), ...words.split(' ')], { env, encoding: 'utf8' });
  for (const line of [`User=${user}`, `Group=${user}`, `EnvironmentFile=${settings}`]) expect(output).toContain(line);
  expect(output).toContain(` DATA_DIR=${data} `);
  expect(output).toMatch(/scripts\/run\.mjs\narchive\ndoctor\n$/u);
});

test('.env.example contains only valid settings that the server reads', () => {
  const entries = [...read('.env.example').matchAll(/^([A-Z_]+)=(.*)$/gmu)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
  const environment = Object.fromEntries(entries) as Record<string, string>;
  expect(readConfig(environment)).toMatchObject({
    http: { publicUrl: 'https://alumni.example.edu', trustProxy: ['127.0.0.1'] },
    mail: { from: 'Alumni office <alumni@example.edu>' },
    metricsToken: null,
  });
  const source = read('server/platform/config/config.ts');
  // Only compose.yaml reads these.
  const passwords = ['POSTGRES_PASSWORD', 'DATABASE_PASSWORD'];
  for (const name of passwords) expect(read('compose.yaml')).toContain(`\${${name}:?`);
  for (const name of Object.keys(environment).filter((one) => !passwords.includes(one)))
    expect(source).toContain(`  ${name}: z.`);
});

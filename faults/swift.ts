import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { freePort } from '#server/testing/free-port.ts';
import { end, newFolder, stopLater } from '#server/testing/server-process.ts';

/*
 * Runs OpenStack Swift with its S3 API on loopback, from Debian's packages python3-swift and memcached. One process per
 * server, one replica.
 */

const servers = ['account', 'container', 'object', 'proxy'] as const;
type Server = (typeof servers)[number];

export interface Swift {
  readonly mediaUrl: string;
  readonly environment: Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>;
  readonly origin: string;
  kill(server: Server): Promise<void>;
  start(server: Server): Promise<void>;
  signal(server: Server, signal: NodeJS.Signals): void;
}

const environment = { AWS_ACCESS_KEY_ID: 'test:tester', AWS_SECRET_ACCESS_KEY: 'testing' };

/** The system's Python, which has Debian's modules. */
const python = '/usr/bin/python3';

const runServer = `
import sys
from swift.common import utils
utils.set_swift_dir(sys.argv[1])
from swift.common.wsgi import run_wsgi
kw = {}
if sys.argv[2] == 'object-server':
    from swift.obj import server
    kw['global_conf_callback'] = server.global_conf_callback
sys.exit(run_wsgi('%s/%s.conf' % (sys.argv[1], sys.argv[2]), sys.argv[2], verbose=True, **kw))
`;

const filters =
  'catch_errors gatekeeper healthcheck proxy_logging memcache listing_formats bulk s3api tempauth copy slo dlo versioned_writes symlink'.split(
    ' ',
  );

export async function startSwift(): Promise<Swift> {
  if (spawnSync(python, ['-c', 'import swift']).status !== 0 || spawnSync('memcached', ['-V']).status !== 0)
    throw new Error(
      'OpenStack Swift is not installed. Run: apt-get install --no-install-recommends python3-swift memcached',
    );
  const home = newFolder('archive-swift-');
  const ports = Object.fromEntries(
    await Promise.all(servers.map(async (server) => [server, await freePort()] as const)),
  ) as Record<Server, number>;
  const cachePort = await freePort();
  const user = spawnSync('id', ['-un']).stdout.toString().trim();
  writeSettings(home, ports, cachePort, user);
  const cache = spawn('memcached', ['-l', '127.0.0.1', '-p', String(cachePort), '-U', '0', '-u', user], {
    stdio: 'ignore',
  });
  const origin = `http://127.0.0.1:${ports.proxy}`;
  const running = new Map<Server, ChildProcess>();

  const start = async (server: Server) => {
    const child = spawn(python, ['-c', runServer, home, `${server}-server`], { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)));
    running.set(server, child);
    const path = server === 'proxy' ? '/healthcheck' : '/recon/version';
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${ports[server]}${path}`).catch(() => null);
      await answer?.arrayBuffer();
      if (answer) return;
      if (child.exitCode !== null) throw new Error(`Swift's ${server} server ended with ${child.exitCode}: ${errors}`);
      await delay(50);
    }
  };
  const kill = async (server: Server) => {
    const child = running.get(server);
    child?.kill('SIGCONT');
    if (child) await end(child, 'SIGKILL');
  };
  stopLater(() => Promise.all([...servers.map(kill), end(cache, 'SIGTERM')]));
  await Promise.all(servers.map(start));
  const client = new AwsClient({
    accessKeyId: environment.AWS_ACCESS_KEY_ID,
    secretAccessKey: environment.AWS_SECRET_ACCESS_KEY,
    service: 's3',
    region: 'us-east-1',
  });
  const created = await client.fetch(`${origin}/pictures`, { method: 'PUT' });
  if (!created.ok) throw new Error(`Swift refused to create a bucket: ${await created.text()}`);
  return {
    mediaUrl: `s3://pictures/archive?endpoint=${origin}`,
    environment,
    origin,
    start,
    kill,
    signal: (server, signal) => void running.get(server)?.kill(signal),
  };
}

function writeSettings(home: string, ports: Record<Server, number>, cachePort: number, user: string): void {
  mkdirSync(join(home, 'srv', 'd1'), { recursive: true });
  writeFileSync(
    join(home, 'swift.conf'),
    '[swift-hash]\nswift_hash_path_suffix = test\n[storage-policy:0]\nname = one\ndefault = yes\n',
  );
  const common = (port: number) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${user}
swift_dir = ${home}
devices = ${join(home, 'srv')}
mount_check = false
fallocate_reserve = 0
log_level = WARNING
`;
  for (const server of ['account', 'container', 'object'] as const) {
    const build = (...args: string[]) => {
      const script =
        'import sys; from swift.cli.ringbuilder import main; sys.argv[0] = "swift-ring-builder"; sys.exit(main(sys.argv))';
      spawnSync(python, ['-c', script, `${server}.builder`, ...args], { cwd: home });
    };
    build('create', '4', '1', '0');
    build('add', `r1z1-127.0.0.1:${ports[server]}/d1`, '1');
    build('rebalance');
    writeFileSync(
      join(home, `${server}-server.conf`),
      `${common(ports[server])}[pipeline:main]\npipeline = ${server}-server\n[app:${server}-server]\nuse = egg:swift#${server}\n`,
    );
  }
  const options: Record<string, string> = {
    memcache: `memcache_servers = 127.0.0.1:${cachePort}\n`,
    s3api: 'location = us-east-1\n',
    tempauth: `user_test_tester = ${environment.AWS_SECRET_ACCESS_KEY} .admin\n`,
    versioned_writes: 'allow_object_versioning = true\n',
  };
  const sections = filters.map((filter) => `[filter:${filter}]\nuse = egg:swift#${filter}\n${options[filter] ?? ''}`);
  writeFileSync(
    join(home, 'proxy-server.conf'),
    `${common(ports.proxy)}[pipeline:main]
pipeline = ${filters.join(' ')} proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
# Try a server again at once after it failed.
error_suppression_limit = 1000000
# The default of half a second is too short on a busy machine.
conn_timeout = 10
${sections.join('')}`,
  );
}

import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#server/testing/free-port.ts';
import { end, findChildren } from '#server/testing/server-process.ts';

/*
 * The cluster of docs/failover.md on loopback: two PostgreSQL nodes under Patroni, three members of
 * etcd, and HAProxy in front.
 * Needs Debian's packages patroni, etcd-server, haproxy and postgresql.
 */

export interface Node {
  readonly name: string;
  /** The processes of the node: Patroni, the database server, or both. */
  signal(what: 'all' | 'patroni', signal: NodeJS.Signals): void;
  start(): Promise<void>;
}

export interface Cluster {
  /** Connects to the primary through HAProxy. */
  readonly databaseUrl: string;
  /** Distributes requests over the servers. */
  readonly webOrigin: string;
  readonly serverPorts: readonly number[];
  findPrimary(): Promise<Node | null>;
  /** Waits until one node is primary and the other is its synchronous standby. */
  waitForPair(): Promise<void>;
  switchOver(): Promise<void>;
  stopEtcd(): Promise<void>;
  startEtcd(): Promise<void>;
  stop(): Promise<void>;
}

const nodeNames = ['n1', 'n2'];
const password = 'loopback';

/** PostgreSQL refuses to run as root. */
const runner = userInfo().uid === 0 ? 'postgres' : null;

function findBinaries(): string {
  const versions = '/usr/lib/postgresql';
  if (!existsSync('/usr/bin/patroni') || !existsSync('/usr/sbin/haproxy') || !existsSync(versions))
    throw new Error('Install the cluster first: apt-get install patroni etcd-server haproxy postgresql');
  return join(versions, readdirSync(versions).toSorted().at(-1) ?? '', 'bin');
}

export async function startCluster(): Promise<Cluster> {
  const binaries = findBinaries();
  const folder = mkdtempSync(join(tmpdir(), 'archive-cluster-'));
  const [database, web, ...ports] = await Promise.all(Array.from({ length: 14 }, freePort));
  const serverPorts = ports.slice(4, 6);
  const members = [6, 8, 10].map((index) => ({
    name: `etcd${index}`,
    clients: `http://127.0.0.1:${ports[index]}`,
    peers: `http://127.0.0.1:${ports[index + 1]}`,
  }));
  const processes = new Map<string, ChildProcess>();

  function run(name: string, command: string, ...args: string[]): void {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const asRunner = runner === null ? [] : ['setpriv', `--reuid=${runner}`, `--regid=${runner}`, '--clear-groups'];
    const [program = '', ...rest] = [...asRunner, 'env', `HOME=${folder}`, command, ...args];
    // `setpriv` and `env` execute the command in their own process, so the PID is that of the command.
    processes.set(name, spawn(program, rest, { stdio: ['ignore', log, log] }));
  }
  function startMember({ name, clients, peers }: (typeof members)[number]): void {
    const options = {
      name,
      'data-dir': join(folder, name),
      'log-level': 'warn',
      'listen-client-urls': clients,
      'advertise-client-urls': clients,
      'listen-peer-urls': peers,
      'initial-advertise-peer-urls': peers,
      'initial-cluster': members.map((member) => `${member.name}=${member.peers}`).join(','),
    };
    run(name, 'etcd', ...Object.entries(options).map(([option, value]) => `--${option}=${value}`));
  }
  const startEtcd = async (started = members) => {
    for (const member of started) startMember(member);
    for (const { clients } of started) await waitFor(async () => (await fetch(`${clients}/health`)).ok);
  };
  // The third member cannot decide alone.
  const killedMembers = members.slice(0, 2);

  const nodes = nodeNames.map((name, index) => {
    const [port = 0, api = 0] = ports.slice(index * 2);
    const postmaster = () => Number.parseInt(readFileSync(join(folder, name, 'postmaster.pid'), 'utf8'), 10);
    const config = {
      scope: 'archive',
      name,
      restapi: { listen: `127.0.0.1:${api}`, connect_address: `127.0.0.1:${api}` },
      etcd3: { hosts: members.map(({ clients }) => clients.replace('http://', '')).join(',') },
      bootstrap: {
        dcs: {
          ttl: 10,
          loop_wait: 2,
          retry_timeout: 4,
          synchronous_mode: true,
          failsafe_mode: true,
          postgresql: {
            use_pg_rewind: true,
            use_slots: true,
            parameters: {
              wal_log_hints: 'on',
              hot_standby: 'on',
              wal_sender_timeout: '5s',
              wal_receiver_timeout: '5s',
            },
          },
        },
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
        pg_hba: [
          'local all all trust',
          'host replication all 127.0.0.1/32 scram-sha-256',
          'host all all 127.0.0.1/32 scram-sha-256',
        ],
      },
      postgresql: {
        listen: `127.0.0.1:${port}`,
        connect_address: `127.0.0.1:${port}`,
        data_dir: join(folder, name),
        bin_dir: binaries,
        pgpass: join(folder, `${name}.pgpass`),
        parameters: { unix_socket_directories: folder },
        authentication: {
          superuser: { username: 'postgres', password },
          replication: { username: 'replicator', password },
          rewind: { username: 'rewinder', password },
        },
      },
    };
    // YAML contains JSON.
    writeFileSync(join(folder, `${name}.yml`), JSON.stringify(config));
    const ask = async (path: string) =>
      (await fetch(`http://127.0.0.1:${api}/${path}`, { signal: AbortSignal.timeout(1_000) })).status === 200;
    return {
      name,
      port,
      api,
      isPrimary: () => ask('primary').catch(() => false),
      isSynchronous: () => ask('synchronous').catch(() => false),
      signal: (what: 'all' | 'patroni', signal: NodeJS.Signals) => {
        const patroni = processes.get(name)?.pid ?? 0;
        const victims = what === 'all' ? [postmaster(), ...findChildren(postmaster())] : [];
        for (const pid of [patroni, ...victims]) process.kill(pid, signal);
      },
      start: () => Promise.resolve(run(name, '/usr/bin/patroni', join(folder, `${name}.yml`))),
      stop: async () => {
        const patroni = processes.get(name);
        if (patroni) await end(patroni, 'SIGTERM');
      },
    };
  });
  const findPrimary = async () => {
    for (const node of nodes) if (await node.isPrimary()) return node;
    return null;
  };
  const waitForPair = () =>
    waitFor(async () => {
      const roles = await Promise.all(nodes.map(async (node) => [await node.isPrimary(), await node.isSynchronous()]));
      return roles.some(([isPrimary]) => isPrimary) && roles.some(([, isSynchronous]) => isSynchronous);
    });

  writeFileSync(
    join(folder, 'haproxy.cfg'),
    `
defaults
  timeout connect 1s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen database
  mode tcp
  bind 127.0.0.1:${database}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${nodes.map(({ name, port, api }) => `  server ${name} 127.0.0.1:${port} check port ${api}`).join('\n')}
listen web
  mode http
  bind 127.0.0.1:${web}
${serverPorts.map((port) => `  server s${port} 127.0.0.1:${port}`).join('\n')}
`,
  );
  const stop = async () => {
    for (const node of nodes) {
      try {
        node.signal('all', 'SIGCONT');
      } catch {
        // The node does not run.
      }
    }
    await Promise.all(nodes.map((node) => node.stop()));
    for (const child of processes.values()) await end(child, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };

  for (const { name } of members) mkdirSync(join(folder, name), { mode: 0o700 });
  if (runner !== null) {
    const { uid, gid } = findUser(runner);
    for (const path of ['', ...readdirSync(folder)]) chownSync(join(folder, path), uid, gid);
  }
  chmodSync(folder, 0o700);
  try {
    await startEtcd();
    const [first, second] = nodes;
    await first?.start();
    await waitFor(async () => (await first?.isPrimary()) ?? false);
    await second?.start();
    run('haproxy', '/usr/sbin/haproxy', '-f', join(folder, 'haproxy.cfg'));
    await waitForPair();
  } catch (error) {
    const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
    for (const name of logs) console.error(name, readFileSync(join(folder, name), 'utf8').slice(-2_000));
    await stop();
    throw error;
  }
  return {
    databaseUrl: `postgres://postgres:${password}@127.0.0.1:${database}/`,
    webOrigin: `http://127.0.0.1:${web}`,
    serverPorts,
    findPrimary,
    waitForPair,
    switchOver: async () => {
      const primary = await findPrimary();
      const standby = nodes.find((node) => node !== primary);
      const response = await fetch(`http://127.0.0.1:${primary?.api}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: primary?.name, candidate: standby?.name }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    stopEtcd: async () => {
      for (const { name } of killedMembers) {
        const child = processes.get(name);
        if (child) await end(child, 'SIGKILL');
      }
    },
    startEtcd: () => startEtcd(killedMembers),
    stop,
  };
}

function findUser(name: string): { uid: number; gid: number } {
  const line =
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((one) => one.startsWith(`${name}:`)) ?? '';
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function waitFor(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if (await isTrue().catch(() => false)) return;
    await delay(100);
  }
  throw new Error('Timed out: the cluster did not reach the expected state within two minutes.');
}

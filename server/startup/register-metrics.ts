import type * as z from 'zod/mini';
import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { sql } from 'kysely';
import type { Gauge } from 'prom-client';
import { wholeInstitution } from '#contract/staff/scope.ts';
import type { ReviewCount } from '#contract/staff/review.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { shareMetrics } from '#server/platform/metrics/cluster-metrics.ts';
import { type JobCounts, countJobs } from '#server/platform/jobs/failed-jobs.ts';
import { withTimeout } from '#server/platform/lifecycle/with-timeout.ts';
import { readDiskSpace } from '#server/platform/storage/disk-reserve.ts';
import { readLastBackup } from '#server/platform/storage/last-backup.ts';
import type { Metrics } from '#server/platform/metrics/metrics.ts';
import { type AuditHead, findAuditHead } from '#server/domain/staff/audit-log.ts';
import { countItems, toOwnKind } from '#server/features/review/queue.ts';
import { allReviewables } from '#server/app/staff.ts';
import { readRefusedCleanUp } from '#server/domain/people/refused-clean-up.ts';
import type { Pools } from './start-database.ts';

/** After this time, the response of `/metrics` lacks the database's metrics. */
const databaseTimeoutMs = 2_000;

export function registerMetrics(context: Context, { database, pooler, replica }: Pools): void {
  measureProcess(context.metrics, {
    database: database.pool,
    ...(pooler && { pooler: pooler.pool }),
    ...(replica && { replica: replica.pool }),
  });
  if (cluster.isPrimary) measureArchive(context);
  else shareMetrics(context.metrics);
}

export function measureProcess(metrics: Metrics, pools: Readonly<Record<string, pg.Pool>>): void {
  metrics.measureProcess();
  metrics.gauge(
    'archive_database_connections',
    'Connections to the database, by pool: idle, busy, and requests that wait for one.',
    ['pool', 'state'],
    (gauge) => {
      for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
        gauge.set({ pool, state: 'idle' }, idleCount);
        gauge.set({ pool, state: 'busy' }, totalCount - idleCount);
        gauge.set({ pool, state: 'waiting' }, waitingCount);
      }
    },
  );
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', 'package.json'), 'utf8')) as {
    version: string;
  };
  metrics.gauge('archive_build_info', 'The version that runs.', ['version']).set({ version }, 1);
}

export function measureArchive({
  metrics,
  db,
  config,
  institution,
}: Pick<Context, 'metrics' | 'db' | 'config' | 'institution'>): void {
  metrics.gauge(
    'archive_disk_bytes',
    'The disk with the data folder: what is free for us, and how large it is.',
    ['state'],
    async (gauge) => {
      for (const [state, bytes] of Object.entries(await readDiskSpace(config.dataDir))) gauge.set({ state }, bytes);
    },
  );
  metrics.gauge(
    'archive_last_backup_time_seconds',
    'When the last backup was made, in seconds since 1970; absent while there is none.',
    [],
    async (gauge) => {
      const last = await readLastBackup(config.dataDir);
      if (last) gauge.set(last.madeAt.getTime() / 1000);
      else gauge.remove();
    },
  );
  metrics.gauge(
    'archive_clean_up_refused_pictures',
    'Unused pictures that the nightly clean-up did not delete because they were too many.',
    [],
    async (gauge) => gauge.set((await readRefusedCleanUp(config.dataDir))?.unused ?? 0),
  );
  let looking: Promise<DatabaseMetrics> | null = null;
  const find = async (): Promise<DatabaseMetrics | null> => {
    // All series of a request share one query. The next request also waits for a hanging query instead of starting
    // another one.
    looking ??= queryMetrics(db, institution).finally(() => {
      looking = null;
    });
    return withTimeout(looking, databaseTimeoutMs).catch(() => null);
  };
  metrics.gauge('archive_database_up', 'Whether the database responds: 1 or 0.', [], async (gauge) => {
    gauge.set((await find()) ? 1 : 0);
  });
  const gauge = <Label extends string>(
    name: string,
    help: string,
    labels: readonly Label[],
    set: (gauge: Gauge<Label>, found: DatabaseMetrics) => void,
  ) =>
    metrics.gauge(name, help, labels, async (own) => {
      const found = await find();
      own.reset();
      if (found) set(own, found);
    });
  gauge('archive_postgresql_info', 'The version of the database server.', ['version'], (info, { version }) =>
    info.set({ version }, 1),
  );
  gauge(
    'archive_jobs',
    'Work in the queue: waiting, waiting for a further attempt, and failed for the last time.',
    ['task', 'state'],
    (count, { jobs }) => {
      for (const { task, ...counts } of jobs)
        for (const state of ['waiting', 'retrying', 'failed'] as const) count.set({ task, state }, counts[state]);
    },
  );
  gauge(
    'archive_jobs_overdue_seconds',
    'For how long the longest has been due, by task.',
    ['task'],
    (age, { jobs }) => {
      for (const { task, overdueSeconds } of jobs) age.set({ task }, overdueSeconds);
    },
  );
  gauge('archive_people', 'People in the directory, by who can see them.', ['audience'], (size, { people }) => {
    for (const { audience, count } of people) size.set({ audience }, count);
  });
  gauge('archive_claims', 'Claims to be confirmed as a member, by state.', ['state'], (count, { claims }) => {
    for (const [state, number] of Object.entries(claims)) count.set({ state }, number);
  });
  gauge(
    'archive_claims_oldest_seconds',
    'For how long the oldest claim has been waiting.',
    [],
    (age, { oldestClaim }) => age.set(oldestClaim),
  );
  gauge(
    'archive_review_items',
    'Items of the review queue of staff that are not decided, by kind.',
    ['kind'],
    (count, { review }) => {
      for (const { kind, waiting } of review) count.set({ kind }, waiting);
    },
  );
  gauge(
    'archive_review_oldest_seconds',
    'For how long the oldest item of the review queue has been waiting, by kind.',
    ['kind'],
    (age, { review }) => {
      for (const { kind, oldest } of review)
        age.set({ kind }, oldest === null ? 0 : Math.max(0, (Date.now() - oldest.getTime()) / 1000));
    },
  );
  gauge('archive_audit_records', 'Records of the audit log.', [], (count, { auditHead }) =>
    count.set(auditHead?.records ?? 0),
  );
  gauge(
    'archive_audit_head_info',
    'The first digits of the hash of the last record of the audit log, which changes with every earlier record.',
    ['hash'],
    (info, { auditHead }) => {
      if (auditHead) info.set({ hash: auditHead.hash }, 1);
    },
  );
  gauge('archive_disputes_open', 'Disputes about roster entries that wait for a decision.', [], (count, { disputes }) =>
    count.set(disputes),
  );
}

interface DatabaseMetrics {
  readonly version: string;
  readonly jobs: readonly JobCounts[];
  readonly people: { audience: string; count: number }[];
  readonly claims: Readonly<Record<string, number>>;
  /** Age of the oldest pending claim, in seconds. */
  readonly oldestClaim: number;
  readonly disputes: number;
  readonly review: readonly z.input<typeof ReviewCount>[];
  readonly auditHead: AuditHead | null;
}

async function queryMetrics(db: Db, institution: Context['institution']): Promise<DatabaseMetrics> {
  const { rows } = await sql<Omit<DatabaseMetrics, 'jobs' | 'review' | 'auditHead'>>`
    select
      split_part(current_setting('server_version'), ' ', 1) as version,
      (select coalesce(jsonb_agg(p), '[]') from (
        select audience, sum(people) as count from listing_counts group by audience) as p) as people,
      (select coalesce(jsonb_object_agg(state, claims), '{}') from (
        select state, count(*) as claims from claims group by state) as c) as claims,
      (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from claims where state = 'waiting') as "oldestClaim",
      (select count(*)::int from disputes where closed_at is null) as disputes`.execute(db);
  const none = { version: '', people: [], claims: {}, oldestClaim: 0, disputes: 0 };
  const review = await countItems(
    db,
    Object.values(allReviewables).flatMap(
      (reviewable) => toOwnKind(institution, reviewable, () => [wholeInstitution]) ?? [],
    ),
  );
  return { ...none, ...rows[0], review, jobs: await countJobs(db), auditHead: await findAuditHead(db) };
}

import cluster from 'node:cluster';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Web, createApp } from './app.ts';
import { loadBuiltWeb } from './built-web.ts';
import { type Database, openDatabase } from './db/client.ts';
import { type EmbeddedServer, startEmbedded } from './db/embedded.ts';
import { waitForDatabase } from './db/reachable.ts';
import { createReading } from './db/reading.ts';
import { migrate } from './db/migrate.ts';
import { queuePendingRebuild } from './domain/search-rebuild.ts';
import { createBrowsing } from './domain/browsing.ts';
import { createCallers } from './domain/callers.ts';
import type { Context } from './domain/context.ts';
import { lookAtSecondFactorKey } from './domain/second-factor-key.ts';
import { createNews, newsChannel } from './domain/news.ts';
import { allSchedules, allTasks } from './jobs.ts';
import { startCluster } from './cluster.ts';
import { measureArchive, measureProcess } from './measures.ts';
import { urlOf } from './db/url.ts';
import { createBudgets } from './platform/budgets.ts';
import { watchClock } from './platform/clock.ts';
import { shareMetrics } from './platform/cluster-metrics.ts';
import { type Config, readConfig } from './platform/config.ts';
import { type DataFolder, openDataFolder, plainDataFolder, requireWholeData } from './platform/data-folder.ts';
import { createEnding } from './platform/ending.ts';
import { openInstallationKey } from './platform/installation-key.ts';
import { readInstitution } from './platform/institution.ts';
import { createLimiter, resetLimits } from './platform/limits.ts';
import { type Log, createLog } from './platform/log.ts';
import { createMailer } from './platform/mailer.ts';
import { createMedia } from './platform/media.ts';
import { createMetrics } from './platform/metrics.ts';
import { showsOutbox } from './platform/outbox-routes.ts';
import { createSecretBox, secretKeyPath } from './platform/secret-box.ts';
import { createSharedAnswers } from './platform/shared-answers.ts';
import { createPasswords } from './platform/passwords.ts';
import { hastenJobs } from './platform/jobs.ts';
import { releaseJobs } from './platform/worker-vigil.ts';
import { updateMinorsJob } from './features/profile/jobs.ts';
import { type Worker, startWorker } from './platform/worker.ts';

/** A product that is up and serving. */
export interface Running {
  readonly app: FastifyInstance;
  readonly context: Context;
  /** What a person wants to know, in four lines. */
  readonly summary: string;
  /** Settles, with the reason, when it has to end because its data belong to another start by now. */
  readonly lost: Promise<Error>;
  stop(): Promise<void>;
}

interface Options {
  readonly environment?: NodeJS.ProcessEnv;
  /** Where the pages come from; by default the build in `dist`. */
  readonly loadWeb?: (context: Context) => Promise<Web> | Web;
  /** Runs when the database is ready and before anything is served: the demonstration fills it here. */
  readonly prepare?: (context: Context) => Promise<void>;
}

/**
 * Starts everything: database, migrations, worker, HTTP.
 * @throws Error with a sentence for the operator; what had been started is ended again
 */
export async function start({
  environment = process.env,
  loadWeb = builtWeb,
  prepare,
}: Options = {}): Promise<Running> {
  const asked = readConfig(environment);
  const institution = readInstitution(asked.institutionFile);
  const folder = asked.databaseUrl === null ? openDataFolder(asked.dataDir) : plainDataFolder(asked.dataDir);
  const config: Config = { ...asked, dataDir: folder.path };
  requireWholeData(config.dataDir);
  const log = createLog(config.log.level);
  // What has been started, the newest first: it is ended in that order, whether by a failure or by `stop`.
  const undo: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0)) await step().catch((error: unknown) => log.error({ err: error }, 'stopping'));
  };
  try {
    const embedded =
      config.databaseUrl === null
        ? await startEmbedded({
            dataDir: config.dataDir,
            user: folder.postgresUser,
            log,
            settings: { max_connections: String(20 + 12 * (config.workers + 1)) },
          })
        : null;
    if (embedded) undo.unshift(() => embedded.stop());
    const connection = embedded?.connection ?? { connectionString: config.databaseUrl ?? '' };
    if (!embedded) {
      await waitForDatabase(connection, (place) => console.error(`Waiting for the database at ${place} …`));
    }
    await migrate(connection);
    const database = openDatabase(connection, (error) => log.warn({ err: error }, 'a database connection broke'));
    undo.unshift(() => database.close());

    const pooled = config.poolerUrl
      ? openDatabase(
          { connectionString: config.poolerUrl },
          (error) => log.warn({ err: error }, 'a connection to the pooler broke'),
          { isPooled: true },
        )
      : database;
    if (pooled !== database) undo.unshift(() => pooled.close());
    const replica = config.replicaUrl
      ? openDatabase({ connectionString: config.replicaUrl, connectionTimeoutMillis: 2_000 }, (error) =>
          log.warn({ err: error }, 'a connection to the replica broke'),
        )
      : null;
    if (replica) undo.unshift(() => replica.close());

    const context = createContext(
      config,
      institution,
      { ...pooled, listenTo: (channel) => database.listenTo(channel) },
      replica,
      (error) => log.warn({ err: error }, 'the replica does not answer; reading from the database itself'),
    );
    measureProcess(context.metrics, {
      database: database.pool,
      ...(pooled !== database && { pooler: pooled.pool }),
      ...(replica && { replica: replica.pool }),
    });
    if (cluster.isPrimary) measureArchive(context);
    else shareMetrics(context.metrics);
    await openSecretKey(context, log);
    await prepare?.(context);
    // Of several processes, the first one does the jobs, and the others answer.
    if (cluster.isPrimary) {
      const mailer = createMailer(config);
      undo.unshift(async () => mailer.close());
      if (embedded) await releaseJobs(database.pool, log);
      const work = () => startWorker(database.pool, allTasks(context, mailer), allSchedules, log, mailer);
      let worker: Worker | null = await work();
      undo.unshift(async () => worker?.stop());
      await hastenJobs(database.db);
      const clock = await watchClock({
        db: database.db,
        log,
        onJump: async () => {
          await hastenJobs(database.db);
          await resetLimits(database.db);
        },
        // The library waits for the minute that it has last seen coming.
        onSet: async () => {
          const before = worker;
          worker = null;
          await before?.stop();
          worker = await work();
        },
      });
      undo.unshift(() => clock.stop());
      await queuePendingRebuild(database.db);
      await updateMinorsJob.queue(database.db, {}, { key: 'start', seconds: 0 });
    }
    const hasWorkers = cluster.isPrimary && config.workers > 1;
    const app = await createApp(context, log, hasWorkers ? null : await loadWeb(context));
    undo.unshift(() => app.close());
    undo.unshift(() => context.ending.begin());
    if (hasWorkers) {
      const own = { ...environment, DATABASE_URL: config.databaseUrl ?? urlOf(connection), DATA_DIR: config.dataDir };
      const workers = await startCluster(config.workers, own, log, context.metrics);
      undo.unshift(() => workers.stop());
    } else await listen(app, config);
    const lost = embedded?.lost ?? new Promise<Error>(() => undefined);
    return { app, context, summary: summarise(config, folder, embedded), lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Makes the key of authenticator apps for an archive that needs none yet. In place of one that is lost it would make every app
 * useless, and week by week every backup that still has the right one.
 * @throws Error with a sentence when it is missing
 */
async function openSecretKey({ db, config: { dataDir } }: Context, log: Log): Promise<void> {
  const state = await lookAtSecondFactorKey(db, dataDir);
  const path = secretKeyPath(dataDir);
  if (state === 'missing') {
    // A restore that has begun since puts the rows there first.
    requireWholeData(dataDir);
    const { count } = await db
      .selectFrom('authenticators')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    throw new Error(
      [
        `${path} is missing, and ${count} people have an authenticator app that works with it alone. Is DATA_DIR right, and its disk there?`,
        'If the file is lost, put it back from a backup:',
        `  tar xzf FILE -C '${dataDir}' --strip-components=1 keys/second-factor.key`,
        'To begin anew without it, make one by hand. Whoever has an app then needs a recovery code, or you: npm run archive -- user reset-second-factor EMAIL',
        `  (umask 077; head -c 32 /dev/urandom | base64 > '${path}')`,
      ].join('\n'),
    );
  }
  if (state === 'another' && cluster.isPrimary)
    log.error(
      `second-factor.key is another one than the newest authenticator app was set up with: its codes are refused. Put the right one back from a backup (keys/second-factor.key in it) as ${path}, and start again`,
    );
  await createSecretBox(dataDir).ready();
}

export function createContext(
  config: Config,
  institution: Context['institution'],
  database: Database,
  replica: Database | null = null,
  onReplicaFailure: (error: unknown) => void = () => undefined,
): Context {
  const { db } = database;
  const callers = createCallers(db, config.http.publicUrl);
  const limiter = createLimiter(openInstallationKey(config.dataDir), {
    profileByAccount: config.savesPerHour,
    picturesByAccount: Math.ceil(config.savesPerHour / 2),
    signUpMails: config.signUpMailsPerHour,
  });
  return {
    config,
    institution,
    db,
    reading: createReading(db, replica?.db ?? null, onReplicaFailure),
    callers,
    browsing: createBrowsing(createBudgets(db, limiter, config.workers, config.browsing.longestPause), callers, config),
    limiter,
    passwords: createPasswords(config.workers, config.dataDir),
    media: createMedia(config.dataDir, config.diskReserve),
    news: createNews(database.listenTo(newsChannel)),
    listAnswers: createSharedAnswers(),
    ending: createEnding(),
    metrics: createMetrics(),
  };
}

const builtWeb = ({ institution }: Context): Web => loadBuiltWeb(join(import.meta.dirname, '..', 'dist'), institution);

/** Connections that the system keeps until they are let in: a thousand phones that come in one second are not sent away. */
const mostKnocking = 4_096;

async function listen(app: FastifyInstance, { http }: Config): Promise<void> {
  try {
    await app.listen({ host: http.host, port: http.port, backlog: mostKnocking });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Port ${http.port} is taken. End what uses it, or start with another one: PORT=${http.port + 1} npm start`,
      {
        cause: error,
      },
    );
  }
}

function summarise(config: Config, folder: DataFolder, embedded: EmbeddedServer | null): string {
  const database = embedded
    ? `embedded PostgreSQL ${embedded.version}${embedded.adopted ? ', taken over from a killed start' : ''}`
    : 'PostgreSQL at DATABASE_URL';
  let mails = `put into ${join(config.dataDir, 'outbox')}; set SMTP_URL to send them`;
  if (showsOutbox(config))
    mails = `not sent; read them at ${config.http.publicUrl}/dev/mail (set SMTP_URL to send them)`;
  if (config.mail.smtpUrl !== null) mails = `sent through ${new URL(config.mail.smtpUrl).host} as ${config.mail.from}`;
  return [
    `Ready    ${config.http.publicUrl}${config.workers > 1 ? ` (${config.workers} processes)` : ''}`,
    `Data     ${folder.path} (${database}${folder.moved ? `; here because ${folder.moved}` : ''})`,
    `Mails    ${mails}`,
    `Ctrl-C   ends everything`,
  ].join('\n');
}

/** Milliseconds for the whole ending: what starts servers kills them after ten seconds, without asking the database. */
const longestEnding = 9_500;

/** Milliseconds: npm passes Ctrl-C on as well, so one press can arrive twice. */
const echo = 500;

/** Starts, says so, and ends on the first signal, at once on a second one; a fault of the operator's is told in words, not as a stack. */
export async function runUntilSignal(
  options: Options = {},
  more: (running: Running) => string = () => '',
): Promise<void> {
  const starting = start(options);
  let endingSince: number | undefined;
  const limitEnding = () => {
    endingSince = performance.now();
    setTimeout(() => {
      console.error(
        `Not everything has ended within ${longestEnding / 1000} seconds; the rest is cut off. Nothing that was confirmed is lost.`,
      );
      process.exit(1);
    }, longestEnding).unref();
  };
  const end = () => {
    if (endingSince === undefined) {
      limitEnding();
      // One that comes during the start waits for its end.
      void starting.then((running) => running.stop()).finally(() => process.exit(0));
    } else if (performance.now() - endingSince > echo) {
      // Somebody has waited long enough for what is under way.
      process.exit(1);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  // One of several ends with the first one, however that has ended.
  if (cluster.isWorker) process.once('disconnect', end);
  whenOrphaned(end);
  // In our own words: what the runtime would print holds whatever libraries hang on their errors.
  process.on('uncaughtException', (error) => {
    createLog('fatal').fatal({ err: error }, 'an unexpected error ends the product');
    process.exit(1);
  });
  try {
    const running = await starting;
    // Of several, the first process speaks.
    if (cluster.isPrimary) console.log(`\n${running.summary}${more(running)}\n`);
    void running.lost.then(async ({ message }) => {
      console.error(`\n${message}`);
      if (endingSince === undefined) limitEnding();
      await running.stop();
      process.exit(1);
    });
  } catch (error) {
    console.error(`\n${(error as Error).message}`);
    const { cause } = error as Error;
    if (cause instanceof Error) console.error(`(${cause.message})`);
    process.exit(1);
  }
}

/** A kill -9 of npm does not reach us, and nobody would know whom to end then: without it we end as well. */
function whenOrphaned(end: () => void): void {
  const { ppid } = process;
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const watch = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(watch);
    end();
  }, 500).unref();
}

if (import.meta.main) await runUntilSignal();

import cluster from 'node:cluster';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { type Web, createApp } from '#server/app/app.ts';
import { loadBuiltWeb } from './built-web.ts';
import { checkPictures } from './check-pictures.ts';
import { startCluster } from './cluster.ts';
import { createContext } from './create-context.ts';
import { migrate } from '#server/db/migrate.ts';
import { urlOf } from '#server/db/url.ts';
import type { Context } from '#server/domain/context.ts';
import { openSecondFactorKey } from '#server/domain/accounts/second-factor-key.ts';
import { requireMembershipMode } from './membership-mode.ts';
import { registerMetrics } from './register-metrics.ts';
import { requireFinishedRestore } from '#server/platform/storage/data-folder.ts';
import { deleteUnusedFiles } from '#server/platform/storage/open-file-stores.ts';
import { createLog } from '#server/platform/log/log.ts';
import { createMailer } from '#server/platform/mail/mailer.ts';
import { createSteps } from '#server/platform/lifecycle/steps.ts';
import { openSettings } from './settings.ts';
import { openPools, startDatabase } from './start-database.ts';
import { queueFirstJobs, startClockWatch, startQueue } from './start-jobs.ts';
import { summarise } from './summary.ts';

export interface Running {
  readonly app: FastifyInstance;
  readonly context: Context;
  readonly summary: string;
  readonly lost: Promise<Error>;
  stop(): Promise<void>;
}

const builtWeb = ({ institution }: Context): Web =>
  loadBuiltWeb(join(import.meta.dirname, '..', '..', 'dist'), institution);

export interface StartOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly loadWeb?: (context: Context) => Promise<Web> | Web;
  /**
   * Runs when the database is ready and before anything is served. The demo creates its data here, and chooses the
   * membership mode, so that the mode is not compared with `institution.json`.
   */
  readonly prepare?: (context: Context) => Promise<void>;
}

/**
 * Starts the server. `stop` undoes the steps in reverse order; so does a step that fails. With several processes, the
 * primary process runs the embedded database and the jobs, and the worker processes serve requests.
 * @throws Error with a message for the operator
 */
export async function start({
  environment = process.env,
  loadWeb = builtWeb,
  prepare,
}: StartOptions = {}): Promise<Running> {
  const settings = openSettings(environment);
  const { config, institution } = settings;
  const { isPrimary } = cluster;
  const hasWorkers = isPrimary && config.workers > 1;
  const log = createLog(config.log.level);
  const { run, undo: stop } = createSteps((err, name) => log.error({ err }, `Stopping failed: ${name}`));
  try {
    await run('data folder', () => requireFinishedRestore(config.dataDir));
    const server = await run('database', () => startDatabase(settings, log));
    await run('migrations', () => migrate(server.connection, server.auditOwner));
    const pools = await run('connection pools', () => openPools(config, server.connection, log));
    const context = createContext(config, institution, pools.forRequests, pools.replica, (err) =>
      log.warn({ err }, 'Read replica unavailable; reading from the primary'),
    );
    if (isPrimary && !prepare)
      await run('membership', () => requireMembershipMode(context.db, institution, config.institutionFile));
    await run('metrics', () => registerMetrics(context, pools));
    if (isPrimary) await run('second-factor key', () => openSecondFactorKey(context, log));
    await run('preparation', () => prepare?.(context));
    if (isPrimary) {
      await run('pictures', () => checkPictures(context, log));
      await run('unused files', () => deleteUnusedFiles(config));
      const mailer = await run('mailer', () => createMailer(config));
      await run('queue', () => startQueue(context, pools.database, mailer, log));
      await run('clock watch', () => startClockWatch(context.db, log));
      await run('first jobs', () => queueFirstJobs(context.db));
    }
    const app = await run('HTTP', async () => createApp(context, log, hasWorkers ? null : await loadWeb(context)));
    if (hasWorkers) {
      const shared = { DATABASE_URL: config.databaseUrl ?? urlOf(server.connection), DATA_DIR: config.dataDir };
      await run('worker processes', () =>
        startCluster(config.workers, { ...environment, ...shared }, log, context.metrics),
      );
    } else {
      await run('port', () => listen(app, context));
    }
    const lost = server.embedded?.lost ?? new Promise<Error>(() => undefined);
    return { app, context, summary: summarise(settings, server.embedded), lost, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Size of the listen() backlog, large enough for a thousand phones that connect within a second. */
const backlogSize = 4_096;

/** `stop` is the graceful shutdown. @throws Error with a message for the operator if the port is in use */
async function listen(
  app: FastifyInstance,
  { config: { http }, shutdown }: Context,
): Promise<{ stop(): Promise<void> }> {
  // Fastify would log the address, which the summary already contains.
  const { level } = app.log;
  app.log.level = 'silent';
  try {
    await app.listen({ host: http.host, port: http.port, backlog: backlogSize });
    app.log.level = level;
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Port ${http.port} is already in use. Stop the other program, or use another port: PORT=${http.port + 1} npm start`,
      { cause: error },
    );
  }
  return { stop: () => shutdown.drain() };
}

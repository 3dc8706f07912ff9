import type { Database } from '../db/client.ts';
import { createReading } from '../db/read-replica.ts';
import { createBrowsing } from '../domain/browsing-budgets.ts';
import { createCallers } from '../domain/authentication.ts';
import type { Context } from '../domain/context.ts';
import { createNews, newsChannel } from '../domain/news.ts';
import { createBudgets } from '../platform/limits/budgets.ts';
import type { Config } from '../platform/config/config.ts';
import { openInstallationKey } from '../platform/crypto/installation-key.ts';
import { createLimiter } from '../platform/limits/rate-limits.ts';
import { createMedia } from '../platform/media/media.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { createPasswords } from '../platform/crypto/password-hashing.ts';
import { createSharedAnswers } from '../platform/http/response-cache.ts';
import { createShutdown } from '../platform/lifecycle/shutdown.ts';

/** Creates what the features work with. */
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
    browsing: createBrowsing(createBudgets(db, limiter, config.workers, config.browsing.maxDelayMs), callers, config),
    limiter,
    passwords: createPasswords(config.workers, config.dataDir),
    media: createMedia(config.dataDir, config.diskReserve),
    news: createNews(database.listenTo(newsChannel)),
    listAnswers: createSharedAnswers(),
    shutdown: createShutdown(),
    metrics: createMetrics(),
  };
}

import type { Database } from '../db/client.ts';
import { createReadReplica } from '../db/read-replica.ts';
import { createBrowsingLimiter } from '../domain/browsing-budgets.ts';
import { createAuthentication } from '../domain/authentication.ts';
import type { Context } from '../domain/context.ts';
import { createGuestPageCache } from '../domain/guest-pages.ts';
import { pictureSizes } from '../domain/picture-sizes.ts';
import { createMembershipCodes } from '../domain/membership-codes.ts';
import { createRateLimitRules } from '../domain/rate-limit-rules.ts';
import { createNotificationChanges, notificationChannel } from '../domain/notification-changes.ts';
import { createBudgets } from '../platform/limits/budgets.ts';
import type { Config } from '../platform/config/config.ts';
import { openInstallationKey } from '../platform/crypto/installation-key.ts';
import { createLimiter } from '../platform/limits/rate-limits.ts';
import { createMedia } from '../platform/media/media.ts';
import { createMetrics } from '../platform/metrics/metrics.ts';
import { createPasswordHasher } from '../platform/crypto/password-hashing.ts';
import { createResponseCache } from '../platform/http/response-cache.ts';
import { createShutdown } from '../platform/lifecycle/shutdown.ts';

/** Creates the context: the services that the features share. */
export function createContext(
  config: Config,
  institution: Context['institution'],
  database: Database,
  replica: Database | null = null,
  onReplicaFailure: (error: unknown) => void = () => undefined,
): Context {
  const { db } = database;
  const authentication = createAuthentication(db, config.http.publicUrl);
  const limiter = createLimiter(openInstallationKey(config.dataDir), createRateLimitRules(config));
  return {
    config,
    institution,
    db,
    inBulkTransaction: database.inBulkTransaction,
    readReplica: createReadReplica(db, replica?.db ?? null, onReplicaFailure),
    authentication,
    browsingLimiter: createBrowsingLimiter(
      createBudgets(db, limiter, config.workers, config.browsing.maxDelayMs),
      authentication,
      config,
    ),
    limiter,
    membershipCodes: createMembershipCodes(config.dataDir),
    passwordHasher: createPasswordHasher(config.workers, config.dataDir),
    media: createMedia(config.dataDir, config.diskReserveBytes, pictureSizes),
    notificationChanges: createNotificationChanges(database.listenTo(notificationChannel)),
    listCache: createResponseCache(),
    guestPageCache: createGuestPageCache(),
    shutdown: createShutdown(),
    metrics: createMetrics(),
  };
}

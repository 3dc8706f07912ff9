import type { Database } from '#server/db/client.ts';
import { createReadReplica } from '#server/db/read-replica.ts';
import { createBrowsingLimiter } from '#server/domain/people/browsing-budgets.ts';
import { createAuthentication } from '#server/domain/accounts/authentication.ts';
import { findCampus } from '#server/domain/campus-arrival.ts';
import type { Context } from '#server/domain/context.ts';
import { createGuestPageCache } from '#server/domain/people/guest-pages.ts';
import { pictureSizes } from '#server/domain/people/picture-sizes.ts';
import { createMembershipCodes } from '#server/domain/membership/membership-codes.ts';
import { createRateLimitRules } from '#server/domain/rate-limit-rules.ts';
import { createNotificationChanges, notificationChannel } from '#server/domain/notifications/notification-changes.ts';
import { createBudgets } from '#server/platform/limits/budgets.ts';
import type { Config } from '#server/platform/config/config.ts';
import { openInstallationKey } from '#server/platform/crypto/installation-key.ts';
import { createLimiter } from '#server/platform/limits/rate-limits.ts';
import { createMedia } from '#server/platform/media/media.ts';
import { openPictureStore } from '#server/platform/media/open-picture-store.ts';
import { openFileStores } from '#server/platform/storage/open-file-stores.ts';
import { createMetrics } from '#server/platform/metrics/metrics.ts';
import { createPasswordHasher } from '#server/platform/crypto/password-hashing.ts';
import { createResponseCache } from '#server/platform/http/response-cache.ts';
import { createShutdown } from '#server/platform/lifecycle/shutdown.ts';

export function createContext(
  config: Config,
  institution: Context['institution'],
  database: Database,
  replica: Database | null = null,
  onReplicaFailure: (error: unknown) => void = () => undefined,
): Context {
  // Refuses settings of which one half is missing.
  findCampus({ config, institution });
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
    media: createMedia(openPictureStore(config, pictureSizes), pictureSizes),
    files: openFileStores(config),
    notificationChanges: createNotificationChanges(database.listenTo(notificationChannel)),
    listCache: createResponseCache(),
    guestPageCache: createGuestPageCache(),
    shutdown: createShutdown(),
    metrics: createMetrics(),
  };
}

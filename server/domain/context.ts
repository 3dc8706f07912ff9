import type { Kysely } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Reading } from '../db/read-replica.ts';
import type { Tables } from '../db/schema.ts';
import type { Config } from '../platform/config/config.ts';
import type { Limiter } from './rate-limit-rules.ts';
import type { Media } from '../platform/media/media.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { PasswordHasher } from '../platform/crypto/password-hashing.ts';
import type { ResponseCache } from '../platform/http/response-cache.ts';
import type { Shutdown } from '../platform/lifecycle/shutdown.ts';
import type { BrowsingLimiter } from './browsing-budgets.ts';
import type { Authentication } from './authentication.ts';
import type { NotificationChanges } from './notification-changes.ts';

/** What the features work with; each takes of it what it needs. */
export interface Context {
  readonly config: Config;
  readonly institution: Institution;
  readonly db: Kysely<Tables>;
  /** For what may be a moment old, lists and search: reads a replica where there is one that answers. */
  readonly readReplica: Reading;
  readonly authentication: Authentication;
  readonly browsingLimiter: BrowsingLimiter;
  readonly limiter: Limiter;
  readonly passwordHasher: PasswordHasher;
  readonly media: Media;
  readonly notificationChanges: NotificationChanges;
  /** What everybody of an audience is answered alike. */
  readonly listCache: ResponseCache;
  /** The graceful shutdown of the HTTP server. */
  readonly shutdown: Shutdown;
  /** What is counted for `/metrics`. */
  readonly metrics: Metrics;
}

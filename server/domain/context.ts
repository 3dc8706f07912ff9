import type { Kysely } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { BulkTransaction } from '#server/db/client.ts';
import type { ReadReplica } from '#server/db/read-replica.ts';
import type { Tables } from '#server/db/schema.ts';
import type { Config } from '#server/platform/config/config.ts';
import type { MembershipCodes } from './membership/membership-codes.ts';
import type { Limiter } from './rate-limit-rules.ts';
import type { Media } from '#server/platform/media/media.ts';
import type { FileStores } from '#server/platform/storage/open-file-stores.ts';
import type { Metrics } from '#server/platform/metrics/metrics.ts';
import type { PasswordHasher } from '#server/platform/crypto/password-hashing.ts';
import type { ResponseCache } from '#server/platform/http/response-cache.ts';
import type { GuestPage } from './people/guest-pages.ts';
import type { Shutdown } from '#server/platform/lifecycle/shutdown.ts';
import type { BrowsingLimiter } from './people/browsing-budgets.ts';
import type { Authentication } from './accounts/authentication.ts';
import type { NotificationChanges } from './notifications/notification-changes.ts';

export interface Context {
  readonly config: Config;
  readonly institution: Institution;
  readonly db: Kysely<Tables>;
  readonly inBulkTransaction: BulkTransaction;
  readonly readReplica: ReadReplica;
  readonly authentication: Authentication;
  readonly browsingLimiter: BrowsingLimiter;
  readonly limiter: Limiter;
  readonly membershipCodes: MembershipCodes;
  readonly passwordHasher: PasswordHasher;
  readonly media: Media;
  readonly files: FileStores;
  readonly notificationChanges: NotificationChanges;
  readonly listCache: ResponseCache;
  readonly guestPageCache: ResponseCache<GuestPage>;
  readonly shutdown: Shutdown;
  readonly metrics: Metrics;
}

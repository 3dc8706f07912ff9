import type { Kysely } from 'kysely';
import type { Institution } from '#contract/institution.ts';
import type { Reading } from '../db/reading.ts';
import type { Tables } from '../db/schema.ts';
import type { Config } from '../platform/config.ts';
import type { Limiter } from '../platform/limits.ts';
import type { Media } from '../platform/media.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Passwords } from '../platform/passwords.ts';
import type { SharedAnswers } from '../platform/shared-answers.ts';
import type { Shutdown } from '../platform/shutdown.ts';
import type { Browsing } from './browsing.ts';
import type { Callers } from './callers.ts';
import type { News } from './news.ts';

/** What the features work with; each takes of it what it needs. */
export interface Context {
  readonly config: Config;
  readonly institution: Institution;
  readonly db: Kysely<Tables>;
  /** For what may be a moment old, lists and search: reads a replica where there is one that answers. */
  readonly reading: Reading;
  readonly callers: Callers;
  readonly browsing: Browsing;
  readonly limiter: Limiter;
  readonly passwords: Passwords;
  readonly media: Media;
  readonly news: News;
  /** What everybody of an audience is answered alike. */
  readonly listAnswers: SharedAnswers;
  /** The graceful shutdown of the HTTP server. */
  readonly shutdown: Shutdown;
  /** What is counted for `/metrics`. */
  readonly metrics: Metrics;
}

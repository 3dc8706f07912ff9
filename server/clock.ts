import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from './db/client.ts';
import { shortenSessions } from './domain/sessions.ts';
import { shortenHolds } from './features/identity/action-codes.ts';
import { hastenJobs } from './platform/jobs.ts';

/** Milliseconds. */
const day = 24 * 60 * 60 * 1000;

/** When this product was put where it is, less a day for files that come from elsewhere. */
export const installedAt = (): Date =>
  new Date(statSync(join(import.meta.dirname, '..', 'package.json')).mtimeMs - day);

/**
 * What was written down while the clock was ahead would wait, or last, until it is that late: it gets the time that it would
 * have from now on. A line for each kind of thing that lasts.
 */
export async function bringBack(db: Db): Promise<void> {
  await hastenJobs(db);
  await shortenSessions(db);
  await shortenHolds(db);
}

import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

/** Milliseconds for which a database that is not there yet is waited for: after a power cut both machines come up at once. */
const patience = 60_000;

/** What the driver says where waiting does not help, and what to do about it. */
const hopeless: Readonly<Record<string, string>> = {
  '28P01': 'refuses the password. Write the right one into DATABASE_URL.',
  '28000': 'refuses this user. Let it in (pg_hba.conf), or write another one into DATABASE_URL.',
  '3D000': 'has no database of this name. Make it (createdb), or write another name into DATABASE_URL.',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that this machine does not trust.',
};

/**
 * Waits until the database at `DATABASE_URL` lets us in.
 * @param onWaiting is told once that it is not there yet
 * @throws Error with a sentence for the operator
 */
export async function waitForDatabase(connection: pg.PoolConfig, onWaiting: (place: string) => void): Promise<void> {
  const deadline = performance.now() + patience;
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...connection });
    client.on('error', () => undefined);
    const place = `${client.host}:${client.port}`;
    try {
      await client.connect();
      return;
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const reason = hopeless[code];
      if (reason) throw new Error(`The database at ${place} ${reason}`, { cause: error });
      if (performance.now() > deadline) {
        throw new Error(
          `The database at ${place} does not answer. See whether it runs, and whether DATABASE_URL says where.`,
          { cause: error },
        );
      }
      if (attempt === 0) onWaiting(place);
    } finally {
      await client.end().catch(() => undefined);
    }
    await pause(250);
  }
}

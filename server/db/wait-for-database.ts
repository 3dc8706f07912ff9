import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** Maximum wait at start-up: after a power failure the database machine may need longer to boot. */
const maxWaitMs = 60_000;

const permanentErrors: Readonly<Record<string, string>> = {
  '28P01': 'rejects the password. Correct it in DATABASE_URL.',
  '28000': 'rejects this user. Allow it in pg_hba.conf, or name another user in DATABASE_URL.',
  '3D000': 'has no database of this name. Create it with createdb, or correct the name in DATABASE_URL.',
  SELF_SIGNED_CERT_IN_CHAIN:
    'has a TLS certificate that this machine does not trust. Install its CA certificate, or set NODE_EXTRA_CA_CERTS.',
};

/**
 * Waits until the database at `DATABASE_URL` accepts a connection.
 * @param onWaiting called once, with host and port, if the first attempt fails
 * @throws Error with a message for the operator, after `maxWaitMs` or immediately if waiting does not help
 */
export async function waitForDatabase(connection: pg.PoolConfig, onWaiting: (place: string) => void): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  for (let attempt = 0; ; attempt++) {
    const client = new pg.Client({ connectionTimeoutMillis: 5_000, ...connection });
    client.on('error', () => undefined);
    const place = `${client.host}:${client.port}`;
    try {
      await client.connect();
      return;
    } catch (error) {
      const { code = '' } = error as { code?: string };
      const reason = permanentErrors[code];
      if (reason) throw new Error(`The database at ${place} ${reason}`, { cause: error });
      if (performance.now() > deadline) {
        throw new Error(
          `The database at ${place} does not answer. Check that it is running and that host and port in DATABASE_URL are correct.`,
          { cause: error },
        );
      }
      if (attempt === 0) onWaiting(place);
    } finally {
      await client.end().catch(() => undefined);
    }
    await delay(250);
  }
}

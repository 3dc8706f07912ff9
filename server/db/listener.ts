import pg from 'pg';

/** Hears what is told on one channel of the database (LISTEN), whichever process tells it. */
export interface Listener {
  /**
   * @param onTold gets each payload; null when some may have been missed, because the connection was lost for a while
   * @returns how to stop
   */
  subscribe(onTold: (payload: string | null) => void): () => void;
  close(): Promise<void>;
}

/** Milliseconds from a lost connection to the next attempt. */
const pause = 1_000;

/** Milliseconds for a connection to come about. */
const patience = 10_000;

/**
 * Keeps one connection of its own, from the first subscription on. It has to reach PostgreSQL directly: a pooler that
 * hands out connections by transaction forgets who listens.
 */
export function createListener(connection: pg.PoolConfig, channel: string, onError: (error: Error) => void): Listener {
  const subscribers = new Set<(payload: string | null) => void>();
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const tell = (payload: string | null) => subscribers.forEach((onTold) => onTold(payload));

  async function connect(): Promise<void> {
    const own = new pg.Client({
      connectionTimeoutMillis: patience,
      ...connection,
      // Nothing is sent for hours, and what stands between forgets connections that are silent for minutes.
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
    });
    client = own;
    own.on('notification', ({ payload }) => tell(payload ?? null));
    own.on('error', onError);
    own.on('end', () => {
      if (isClosed || client !== own) return;
      retry = setTimeout(() => void connect(), pause).unref();
    });
    try {
      await own.connect();
      await own.query(`listen ${pg.escapeIdentifier(channel)}`);
      // Whoever subscribed while there was no connection may have missed something.
      tell(null);
    } catch (error) {
      if (isClosed) return;
      onError(error as Error);
      await own.end().catch(() => undefined);
      clearTimeout(retry);
      retry = setTimeout(() => void connect(), pause).unref();
    }
  }

  return {
    subscribe: (onTold) => {
      subscribers.add(onTold);
      if (!client && !isClosed) void connect();
      return () => void subscribers.delete(onTold);
    },
    close: async () => {
      isClosed = true;
      clearTimeout(retry);
      subscribers.clear();
      await client?.end().catch(() => undefined);
    },
  };
}

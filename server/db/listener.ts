import pg from 'pg';

export interface Listener {
  /**
   * Subscribes to the channel.
   * @param onPayload receives each payload; null after a lost connection, when notifications may have been missed
   * @returns a function that ends the subscription
   */
  subscribe(onPayload: (payload: string | null) => void): () => void;
  close(): Promise<void>;
}

const reconnectDelayMs = 1_000;

const connectTimeoutMs = 10_000;

/**
 * Creates a listener with one separate connection, opened at the first subscription. It must connect directly to
 * PostgreSQL: a pooler in transaction mode does not support LISTEN.
 */
export function createListener(connection: pg.PoolConfig, channel: string, onError: (error: Error) => void): Listener {
  const subscribers = new Set<(payload: string | null) => void>();
  let client: pg.Client | null = null;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;
  const publish = (payload: string | null) => subscribers.forEach((onTold) => onTold(payload));

  async function connect(): Promise<void> {
    const own = new pg.Client({
      connectionTimeoutMillis: connectTimeoutMs,
      ...connection,
      // Firewalls drop connections without traffic after minutes, and a channel can be silent for hours.
      keepAlive: true,
      keepAliveInitialDelayMillis: 30_000,
    });
    client = own;
    own.on('notification', ({ payload }) => publish(payload ?? null));
    own.on('error', onError);
    own.on('end', () => {
      if (isClosed || client !== own) return;
      retry = setTimeout(() => void connect(), reconnectDelayMs).unref();
    });
    try {
      await own.connect();
      await own.query(`listen ${pg.escapeIdentifier(channel)}`);
      // Subscribers may have missed notifications while there was no connection.
      publish(null);
    } catch (error) {
      if (isClosed) return;
      onError(error as Error);
      await own.end().catch(() => undefined);
      clearTimeout(retry);
      retry = setTimeout(() => void connect(), reconnectDelayMs).unref();
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

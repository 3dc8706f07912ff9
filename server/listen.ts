import type { FastifyInstance } from 'fastify';
import type { Context } from './domain/context.ts';

/** Connections in the listen() backlog: a thousand phones that connect within a second are not refused. */
const backlog = 4_096;

/**
 * Listens on the configured port. `stop` is the graceful shutdown: it returns when all requests are answered.
 * @throws Error with a sentence for the operator when the port is taken
 */
export async function listen(
  app: FastifyInstance,
  { config, shutdown }: Pick<Context, 'config' | 'shutdown'>,
): Promise<{ stop(): Promise<void> }> {
  const { host, port } = config.http;
  try {
    await app.listen({ host, port, backlog });
  } catch (error) {
    if ((error as { code?: string }).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} is taken. End what uses it, or start with another one: PORT=${port + 1} npm start`, {
      cause: error,
    });
  }
  return { stop: () => shutdown.drain() };
}

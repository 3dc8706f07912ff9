import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy for several servers. When a server is down, the proxy behaves like nginx with `max_fails=0`. */
export interface Proxy {
  readonly url: string;
  readonly retried: () => number;
  close(): Promise<void>;
}

/** Idempotent methods, which nginx retries (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Distributes requests round-robin over keep-alive connections. A request that cannot be sent goes to the next server.
 * If the connection breaks before the response, an idempotent request goes to the next server; others get a 502.
 */
export async function startProxy(servers: readonly string[]): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  let retried = 0;
  const orderServers = () => {
    turn++;
    return servers.map((_, at) => servers[(turn + at) % servers.length] ?? '');
  };
  const server = createServer((asked, answer) => {
    void asked.toArray().then((chunks: Buffer[]) => forward(asked, Buffer.concat(chunks), orderServers(), answer));
  });
  const forward = (
    asked: IncomingMessage,
    body: Buffer,
    [first, ...others]: readonly string[],
    answer: ServerResponse,
  ) => {
    const { method = 'GET', url = '/', headers } = asked;
    const sending = request(first + url, { agent, method, headers }, (response) => {
      // Connection headers are hop-by-hop and are not passed on.
      const { connection: _, ...rest } = response.headers;
      answer.writeHead(response.statusCode ?? 502, rest);
      response.on('error', () => answer.destroy()).pipe(answer);
    });
    sending.once('error', (error: NodeJS.ErrnoException) => {
      if (answer.headersSent) return void answer.destroy();
      if (others.length > 0 && (error.code === 'ECONNREFUSED' || idempotent.has(method))) {
        retried++;
        return forward(asked, body, others, answer);
      }
      return void answer.writeHead(502).end(`${error.code}: ${error.message}`);
    });
    sending.end(body);
    return undefined;
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    retried: () => retried,
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

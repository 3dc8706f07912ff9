import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy in front of several servers, which does as nginx does (with `max_fails=0`) when one of them is away. */
export interface Proxy {
  readonly url: string;
  /** Requests that it had to send to another server than it had meant to. */
  readonly retried: () => number;
  close(): Promise<void>;
}

/** As nginx counts them: sent a second time, they do no harm (RFC 9110, section 9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);

/**
 * Hands requests to the servers in turns, over connections that it keeps. A request that cannot be handed over goes to the next one; one
 * whose connection breaks before an answer goes to the next one if it may be sent twice, and else is a 502.
 */
export async function startProxy(servers: readonly string[]): Promise<Proxy> {
  const agent = new Agent({ keepAlive: true });
  let turn = 0;
  let retried = 0;
  const inTurn = () => {
    turn++;
    return servers.map((_, at) => servers[(turn + at) % servers.length] ?? '');
  };
  const server = createServer((asked, answer) => {
    void asked.toArray().then((chunks: Buffer[]) => pass(asked, Buffer.concat(chunks), inTurn(), answer));
  });
  const pass = (
    asked: IncomingMessage,
    body: Buffer,
    [first, ...others]: readonly string[],
    answer: ServerResponse,
  ) => {
    const { method = 'GET', url = '/', headers } = asked;
    const sending = request(first + url, { agent, method, headers }, (response) => {
      // The connection to us is one thing, and that to the visitor another.
      const { connection: _, ...rest } = response.headers;
      answer.writeHead(response.statusCode ?? 502, rest);
      response.on('error', () => answer.destroy()).pipe(answer);
    });
    sending.once('error', (error: NodeJS.ErrnoException) => {
      if (answer.headersSent) return void answer.destroy();
      if (others.length > 0 && (error.code === 'ECONNREFUSED' || idempotent.has(method))) {
        retried++;
        return pass(asked, body, others, answer);
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

import { type IncomingMessage, type Server, STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ProblemError } from './problem.ts';

/** Time in which further input is read, so that the client's TCP stack does not discard the response. */
const lingerMs = 1_000;

const statuses: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  HPE_HEADER_OVERFLOW: [431, 'The URL and the headers of a request can have at most 16 KB in total.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too long.'],
};

interface ClientErrors {
  readonly handle: (error: NodeJS.ErrnoException, socket: Socket) => void;
  readonly watch: (server: Server) => void;
}

export function createClientErrors(headers: Readonly<Record<string, string>>): ClientErrors {
  const responses = new WeakMap<Socket, ServerResponse>();
  return {
    watch: (server) =>
      void server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) =>
        responses.set(socket, response),
      ),
    handle: ({ code = '' }, socket) => {
      // The parser reports an error for each further chunk of the same request.
      if (socket.writableEnded) return;
      const response = responses.get(socket);
      if (code === 'ECONNRESET' || !socket.writable || (response?.headersSent && !response.writableFinished)) {
        socket.destroy();
        return;
      }
      socket.end(formatResponse(code, headers));
      setTimeout(() => socket.destroy(), lingerMs).unref();
    },
  };
}

function formatResponse(code: string, headers: Readonly<Record<string, string>>): string {
  const [status, detail] = statuses[code] ?? [400, undefined];
  const problem = new ProblemError('malformed-request', detail === undefined ? {} : { detail });
  const body = JSON.stringify({ ...problem.body, status });
  const all = {
    ...headers,
    'cache-control': 'no-store',
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}

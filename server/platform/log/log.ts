import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/** A structured log: fields first, then the message. Never log tokens, codes, passwords or the text of mails. */
export type Log = FastifyBaseLogger;

export function createLog(level: string, to?: DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    serializers: { err: serializeError },
    hooks: { streamWrite: redactSecrets },
  };
  return pino(options, to ?? standardOutput());
}

/** Limit on output that is buffered while standard output is blocked. Further lines are dropped. */
const maxBufferedChars = 1_000_000;

/**
 * Writes to standard output. If writing fails, because the pipe is closed or the disk is full, lines are buffered and
 * the server continues.
 */
function standardOutput(): DestinationStream {
  const lines = pino.destination({ dest: 1, sync: true, maxLength: maxBufferedChars });
  lines.on('error', () => undefined);
  // Exposes only `write`: pino's flush at exit would block forever while standard output is blocked.
  return { write: (line) => void lines.write(line) };
}

interface SerializedError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly code?: unknown;
  readonly table?: unknown;
  readonly constraint?: unknown;
  readonly cause?: SerializedError;
}

/**
 * Copies only known fields of an error, because libraries add user data to their errors. PostgreSQL puts the rejected
 * row into `detail`, schema validation puts the URL with its query into `url`, and mail servers repeat the recipient.
 */
function serializeError(error: unknown): SerializedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { code, table, constraint } = error as { code?: unknown; table?: unknown; constraint?: unknown };
  return {
    type: error.name,
    message: error.message,
    stack: error.stack,
    code,
    table,
    constraint,
    ...(error.cause !== undefined && { cause: serializeError(error.cause) }),
  };
}

/**
 * Removes email addresses, token-like strings, password hashes, and the ids of accounts and pictures from a log line.
 * The last line of defence, for data that reaches the log unexpectedly. Ids are removed so that no line refers to a
 * deleted account.
 */
export const redactSecrets = (line: string): string =>
  line
    // The lookbehind anchors the match at the start of a word. Otherwise, long words would take quadratic time.
    .replaceAll(/(?<![^\s"'<>()[\]{}:;,=/\\])[^\s"'<>()[\]{}:;,=/\\]+(?:@|%40)[^\s"'<>()[\]{}:;,=/\\]+/giu, '[address]')
    .replaceAll(/(?<![\w-])(?:[\w-]{43}|[\da-f]{64})(?![\w-])/giu, '[token]')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/giu, '[id]')
    .replaceAll(/(?<=\/media\/)[\w-]{22,}/gu, '[picture]')
    .replaceAll(/(?:\$|%24)(?:argon2id?|firebase-scrypt)(?:\$|%24)[^\s"\\]+/gu, '[hash]');

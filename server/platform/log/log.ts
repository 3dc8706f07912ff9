import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/** A structured log: an object of facts first, then a sentence. Never a token, a code, a password or a mail's body. */
export type Log = FastifyBaseLogger;

/** @param to where the lines go; standard output unless something else is named */
export function createLog(level: string, to?: DestinationStream): Log {
  const options: pino.LoggerOptions = {
    level,
    serializers: { err: serializeError },
    hooks: { streamWrite: redactSecrets },
  };
  return pino(options, to ?? standardOutput());
}

/** Characters of lines that wait for room; later ones are left out. */
const maxBufferedChars = 1_000_000;

/** Lines that cannot be written, for nobody reads them or their disk is full, end nothing. They wait, and come when they can. */
function standardOutput(): DestinationStream {
  const lines = pino.destination({ dest: 1, sync: true, maxLength: maxBufferedChars });
  lines.on('error', () => undefined);
  // Nothing but this: its way to write the rest at the end of the process would wait for room for ever.
  return { write: (line) => void lines.write(line) };
}

/** An error as it may be written down. */
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
 * Field by field: what else libraries hang on their errors holds what people have typed. PostgreSQL puts the whole
 * refused row into `detail`, the schemas put the address with its query into `url`, mail servers repeat who was written to.
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
 * Whatever comes into a line by a way that nobody has thought of: addresses of people, what looks like a token, and the names
 * of people and pictures in paths, by which a line would still be about somebody who has long been deleted.
 */
export const redactSecrets = (line: string): string =>
  line
    // From the beginning of a word alone: from each of its letters, a long one would take the square of its length.
    .replaceAll(/(?<![^\s"'<>()[\]{}:;,=/\\])[^\s"'<>()[\]{}:;,=/\\]+(?:@|%40)[^\s"'<>()[\]{}:;,=/\\]+/giu, '[address]')
    .replaceAll(/(?<![\w-])(?:[\w-]{43}|[\da-f]{64})(?![\w-])/giu, '[token]')
    .replaceAll(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/giu, '[id]')
    .replaceAll(/(?<=\/media\/)[\w-]{22,}/gu, '[picture]')
    .replaceAll(/(?:\$|%24)(?:argon2id?|firebase-scrypt)(?:\$|%24)[^\s"\\]+/gu, '[hash]');

import type { FastifyBaseLogger } from 'fastify';

/** A structured log: an object of facts first, then a sentence. Never a token, a code, a password or a mail's body. */
export type Log = FastifyBaseLogger;

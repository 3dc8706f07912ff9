import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type * as z from 'zod/mini';
import { hasZodFastifySchemaValidationErrors, validatorCompiler } from 'fastify-type-provider-zod';
import type { FieldProblem } from '#contract/problem.ts';
import { setRefusingLimit } from '../log/request-log.ts';
import type { Metrics } from '../metrics/metrics.ts';
import { createRefusalCounter } from '../metrics/request-metrics.ts';
import { isDiskError, logDiskError } from '../storage/disk-reserve.ts';
import { ProblemError } from './problem.ts';
import { compileEncoder } from './response-encoder.ts';

declare module 'fastify' {
  interface FastifyInstance {
    toProblem: (error: unknown, request: FastifyRequest) => ProblemError;
  }
  interface FastifyContextConfig {
    /**
     * Whether writes may come from anywhere, because a code in the URL is the only credential and cookies are ignored.
     */
    readonly acceptsAnyOrigin?: boolean;
  }
}

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function setUpHttp(app: FastifyInstance, { publicUrl }: { publicUrl: string }, metrics: Metrics): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler<z.ZodMiniType>(({ schema }) => compileEncoder(schema));
  app.addHook('onRequest', (request, _, done) => {
    requireOwnOrigin(request, publicUrl);
    done();
  });

  const refused = createRefusalCounter(metrics);
  app.decorate('toProblem', (error, request) => {
    const problem = problemFor(error, request);
    if (problem.limit !== undefined) {
      refused.inc({ limit: problem.limit });
      setRefusingLimit(request, problem.limit);
    }
    return problem;
  });
  app.setErrorHandler((error, request, reply) => sendProblem(reply, app.toProblem(error, request)));
}

/**
 * Converts any error to a problem. Unexpected errors are logged; the response contains only the request id as a
 * reference.
 */
export function problemFor(error: unknown, { id, log }: Pick<FastifyRequest, 'id' | 'log'>): ProblemError {
  const problem = toProblem(error);
  if (problem.code === 'internal') {
    log.error({ err: error }, 'unexpected error');
    return new ProblemError('internal', { reference: id });
  }
  if (problem.code === 'unavailable') log.warn({ err: error }, 'Service unavailable');
  if (problem.code === 'insufficient-storage' || isDiskError(problem.cause)) logDiskError(log, problem.cause);
  return problem;
}

export function sendProblem(reply: FastifyReply, problem: ProblemError): FastifyReply {
  const { retryAfter } = problem.body;
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  return reply
    .code(problem.status)
    .header('cache-control', 'no-store')
    .type('application/problem+json')
    .serializer(JSON.stringify)
    .send(problem.body);
}

/**
 * Protects writes against CSRF: the headers `Sec-Fetch-Site` or `Origin` must name our own origin. Cookies with
 * SameSite=Lax already stop cross-site writes. This check also covers sibling sites of the same domain and old
 * browsers.
 */
function requireOwnOrigin(request: FastifyRequest, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return;
  if (request.routeOptions.config.acceptsAnyOrigin) return;
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (site === 'same-origin' || origin === publicUrl) return;
  throw new ProblemError('origin-refused', {
    detail:
      site === undefined && origin === undefined
        ? `Send the header "Origin: ${publicUrl}" with every request that changes something.`
        : `This server accepts writes from ${publicUrl} only. To use another address, set PUBLIC_URL.`,
  });
}

/**
 * Error codes of PostgreSQL and the network for a database that is temporarily unavailable: unreachable, starting,
 * stopping, overloaded, or a read-only replica during a failover.
 */
const unavailableCodes = new Set(
  'ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN 57P01 57P02 57P03 57014 53300 08000 08001 08003 08006 25006 40001 40P01 55P03'.split(
    ' ',
  ),
);

/** Matches driver errors without a code that also mean that the database is temporarily unavailable. */
const unavailableMessages =
  /timeout exceeded when trying to connect|Connection terminated|Query read timeout|is not queryable|Cannot use a pool after calling end/u;

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (hasZodFastifySchemaValidationErrors(error)) {
    const inBody = error.validationContext === 'body';
    const errors: FieldProblem[] = error.validation.map(({ instancePath, message }) => ({
      pointer: instancePath,
      message: message ?? '',
    }));
    return new ProblemError(inBody ? 'validation-failed' : 'malformed-request', { errors });
  }
  const { code, syscall, statusCode, message } = error as {
    code?: string;
    syscall?: string;
    statusCode?: number;
    message?: string;
  };
  // A full disk is a temporary condition: the operator can free space.
  if (isDiskError(error)) return new ProblemError('unavailable', { retryAfter: 30, cause: error });
  if (code === 'ECONNRESET' && message === 'aborted') return new ProblemError('malformed-request', { cause: error });
  // The socket of the embedded database is missing. Any other missing file is a bug.
  const isSocketGone = code === 'ENOENT' && syscall === 'connect';
  if (isSocketGone || unavailableCodes.has(code ?? '') || unavailableMessages.test(message ?? ''))
    return new ProblemError('unavailable', { retryAfter: 2, cause: error });
  // Text that PostgreSQL cannot store, such as a NUL character in a query string.
  if (code === '22021') return new ProblemError('malformed-request', { cause: error });
  if (statusCode === 413) return new ProblemError('payload-too-large');
  if (statusCode === 415)
    return new ProblemError('unsupported-media-type', { detail: 'Send the body as application/json.' });
  if (statusCode === 404) return new ProblemError('not-found');
  if (statusCode !== undefined && statusCode < 500) {
    return new ProblemError('malformed-request', message === undefined ? {} : { detail: message });
  }
  return new ProblemError('internal', { cause: error });
}

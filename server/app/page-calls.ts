import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Call, toWireRequest } from '#contract/call.ts';
import type { Problem } from '#contract/problem.ts';
import { read } from '#server/domain/api/mount.ts';

class CallError extends Error {
  override readonly name = 'ApiError';
  readonly problem: Problem;

  constructor(problem: Problem, cause?: unknown) {
    super(problem.title, { cause });
    this.problem = problem;
  }
}

/**
 * Returns the function with which a page reads the API in process as the visitor. Loaders handle most failures, so a
 * failure is logged here. A page that is only viewed cannot make changes.
 */
export function readAs(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Call {
  const call = async (name: Parameters<Call>[0], input: object = {}): Promise<unknown> => {
    try {
      return await read(app, name, input, { request, reply });
    } catch (error) {
      throw new CallError(app.toProblem(error, request).body, error);
    }
  };
  return call as Call;
}

/**
 * Returns the function with which a submitted form calls the API in process as the visitor, with the origin that was
 * checked. Each call is a request of its own, because a call can change the session. Its cookies are passed on with the
 * page.
 */
export function submitAs(app: FastifyInstance, request: FastifyRequest, reply: FastifyReply, publicUrl: string): Call {
  // Includes cookies that earlier calls of the same page have set. Of several cookies with the same name, the first one
  // takes effect.
  let { cookie } = request.headers;
  const call = async (name: Parameters<Call>[0], input?: object): Promise<unknown> => {
    const { method, url, body } = toWireRequest(name, input);
    try {
      const response = await app.inject({
        method: method as 'GET',
        url,
        headers: {
          'x-request-id': request.id,
          ...(cookie && { cookie }),
          origin: publicUrl,
          ...(request.headers['user-agent'] && { 'user-agent': request.headers['user-agent'] }),
        },
        remoteAddress: request.ip,
        ...(body !== undefined && { payload: body as object }),
      });
      const cookies = response.headers['set-cookie'];
      if (cookies !== undefined) reply.header('set-cookie', cookies);
      for (const set of response.cookies) cookie = `${set.name}=${set.value}; ${cookie ?? ''}`;
      if (response.statusCode >= 400) throw new CallError(response.json<Problem>());
      return response.statusCode === 204 ? undefined : response.json();
    } catch (error) {
      throw error instanceof CallError ? error : new CallError(app.toProblem(error, request).body, error);
    }
  };
  return call as Call;
}

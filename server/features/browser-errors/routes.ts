import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { mount } from '#server/domain/api/mount.ts';
import { networksOf } from '#server/platform/limits/networks.ts';

export function browserErrorRoutes(app: FastifyInstance, { db, limiter }: Pick<Context, 'db' | 'limiter'>): void {
  mount(app, 'POST /api/browser-errors', async ({ body: { message, stack } }, { request }) => {
    await limiter.requireAttempt(db, 'browserErrorsByAddress', networksOf(request.ip));
    const err = Object.assign(new Error(message), { name: 'BrowserError', stack });
    request.log.error({ err }, 'unexpected error in the browser');
    return { reference: request.id };
  });
}

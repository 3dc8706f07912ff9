import type { FastifyInstance } from 'fastify';
import type { Context } from '../../domain/context.ts';
import { findOwnStaff } from '../../domain/staff/guard.ts';
import { mount } from '../../platform/http/mount.ts';

/** Adds the routes about staff themselves. */
export function staffRoutes(app: FastifyInstance, { db, authentication }: Context): void {
  mount(app, 'GET /api/staff/me', async (_, { request, reply }) =>
    findOwnStaff(db, await authentication.authenticate(request, reply)),
  );
}

import type { FastifyInstance } from 'fastify';
import { staffClaimEndpoints } from '#contract/staff-claims.ts';
import { staffReviewEndpoints } from '#contract/staff-review.ts';
import type { Context } from '../../domain/context.ts';
import { requireStaff } from '../../domain/staff/guard.ts';
import { mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';

/** Adds the routes of the review queue, which has no items yet. */
export function reviewRoutes(app: FastifyInstance, { db, authentication }: Context): void {
  for (const name of [
    ...(Object.keys(staffReviewEndpoints) as (keyof typeof staffReviewEndpoints)[]),
    ...(Object.keys(staffClaimEndpoints) as (keyof typeof staffClaimEndpoints)[]),
  ])
    mount(app, name, async (_: unknown, { request, reply }) => {
      await requireStaff(db, await authentication.authenticate(request, reply), 'claims');
      throw new ProblemError('not-found');
    });
}

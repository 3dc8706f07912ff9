import type { FastifyInstance } from 'fastify';
import { mount } from '#server/domain/api/mount.ts';
import type { Context } from '#server/domain/context.ts';
import type { ApprovedAction } from '#server/domain/staff/approvals.ts';
import { approvalRoutes } from './approval-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { findFirstSteps } from './first-steps.ts';
import { roleRoutes } from './role-routes.ts';

export function staffRoutes(app: FastifyInstance, context: Context, actions: readonly ApprovedAction[]): void {
  mount(app, 'GET /api/staff/me', async (_, { ownStaff }) => ownStaff);
  mount(app, 'GET /api/staff/first-steps', async () => ({ steps: await findFirstSteps(context) }));
  roleRoutes(app, context);
  approvalRoutes(app, context, actions);
  auditRoutes(app, context);
}

import type { FastifyInstance } from 'fastify';
import type { Context } from '../../domain/context.ts';
import type { ApprovedAct } from '../../domain/staff/approvals.ts';
import { findOwnStaff, requireStaff } from '../../domain/staff/guard.ts';
import { mount } from '../../platform/http/mount.ts';
import { approvalRoutes } from './approval-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import type { FindStaff } from './find-staff.ts';
import { roleRoutes } from './role-routes.ts';

/** Adds the routes about staff themselves: roles, approvals and the audit log. @param acts what is done when a request is approved */
export function staffRoutes(app: FastifyInstance, context: Context, acts: readonly ApprovedAct[]): void {
  const { db, authentication } = context;
  const findStaff: FindStaff = async ({ request, reply }, right) =>
    requireStaff(db, await authentication.authenticate(request, reply), right);
  mount(app, 'GET /api/staff/me', async (_, { request, reply }) =>
    findOwnStaff(db, await authentication.authenticate(request, reply)),
  );
  roleRoutes(app, context, findStaff);
  approvalRoutes(app, context, findStaff, acts);
  auditRoutes(app, context, findStaff);
}

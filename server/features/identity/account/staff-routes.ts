import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { mount } from '#server/domain/api/mount.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import {
  changeEmailByStaff,
  deleteByStaff,
  endSessionsByStaff,
  removeFactorsByStaff,
  repeatMailByStaff,
} from './staff-actions.ts';

export function staffAccountRoutes(app: FastifyInstance, context: Context): void {
  mount(app, 'DELETE /api/staff/people/{id}/sessions', async ({ params: { id } }, { staff }) => {
    await countStaffAction(context, staff, id);
    await endSessionsByStaff(context, staff, id);
  });
  mount(app, 'PUT /api/staff/people/{id}/email', async ({ params: { id }, body: { email } }, { staff, request }) => {
    const networks = networksOf(request.ip);
    await countStaffAction(context, staff, id);
    return { isPending: await changeEmailByStaff(context, staff, id, { email, networks }) };
  });
  mount(app, 'POST /api/staff/people/{id}/second-factor-reset', async ({ params: { id } }, { staff }) => {
    await countStaffAction(context, staff, id);
    return { result: await removeFactorsByStaff(context, staff, id) };
  });
  mount(app, 'POST /api/staff/people/{id}/mails', async ({ params: { id }, body: { mail } }, { staff }) => {
    await countStaffAction(context, staff, id);
    await repeatMailByStaff(context, staff, id, mail);
  });
  mount(app, 'POST /api/staff/people/{id}/deletion', async ({ params: { id } }, { staff, request }) => {
    await countStaffAction(context, staff, id);
    const deletesAt = await deleteByStaff(context, staff, id, request.log);
    return { deletesAt };
  });
}

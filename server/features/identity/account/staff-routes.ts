import type { FastifyInstance } from 'fastify';
import type { StaffRight } from '#contract/staff-values.ts';
import { requireRecentSignIn } from '../../../domain/authentication.ts';
import type { Context } from '../../../domain/context.ts';
import { countStaffAct } from '../../../domain/staff/act-limits.ts';
import { type Staff, requireStaff } from '../../../domain/staff/guard.ts';
import { type Exchange, mount } from '../../../platform/http/mount.ts';
import { networksOf } from '../../../platform/limits/networks.ts';
import {
  changeEmailByStaff,
  deleteByStaff,
  endSessionsByStaff,
  removeFactorsByStaff,
  repeatMailByStaff,
} from './staff-acts.ts';

/** Adds the routes with which staff act on the accounts of other people. */
export function staffAccountRoutes(app: FastifyInstance, context: Context): void {
  /** Returns the member of staff who acts on a person with a right. @throws ProblemError as `requireStaff` and `countStaffAct` do */
  const requireChanger = async (
    { request, reply }: Exchange,
    id: string,
    right: StaffRight = 'change-accounts',
  ): Promise<Staff> => {
    const staff = await requireStaff(context.db, await context.authentication.authenticate(request, reply), right);
    requireRecentSignIn(staff.session);
    await countStaffAct(context, staff, id);
    return staff;
  };

  mount(app, 'DELETE /api/staff/people/{id}/sessions', async ({ params: { id } }, exchange) =>
    endSessionsByStaff(context, await requireChanger(exchange, id), id),
  );
  mount(app, 'PUT /api/staff/people/{id}/email', async ({ params: { id }, body: { email } }, exchange) => {
    const networks = networksOf(exchange.request.ip);
    return {
      isPending: await changeEmailByStaff(context, await requireChanger(exchange, id), id, { email, networks }),
    };
  });
  mount(app, 'POST /api/staff/people/{id}/second-factor-reset', async ({ params: { id } }, exchange) => ({
    result: await removeFactorsByStaff(context, await requireChanger(exchange, id, 'roles'), id),
  }));
  mount(app, 'POST /api/staff/people/{id}/mails', async ({ params: { id }, body: { mail } }, exchange) =>
    repeatMailByStaff(context, await requireChanger(exchange, id), id, mail),
  );
  mount(app, 'POST /api/staff/people/{id}/deletion', async ({ params: { id } }, exchange) => {
    const deletesAt = await deleteByStaff(context, await requireChanger(exchange, id), id, exchange.request.log);
    return { deletesAt };
  });
}

import type { FastifyInstance } from 'fastify';
import { requireRecentSignIn, requireSession } from '../../domain/authentication.ts';
import type { Context } from '../../domain/context.ts';
import { requireStaff } from '../../domain/staff/guard.ts';
import { requireTouchable } from '../../domain/staff/people-guard.ts';
import { type Exchange, mount } from '../../platform/http/mount.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { staffExportRoutes } from './exports/routes.ts';
import { findExportCount, findLooks, recordLook } from './looks.ts';
import { findPersonFile } from './person-file.ts';
import { searchPeople } from './search-people.ts';

/** Adds the routes with which staff find people, read their file and export them, and people read who looked. */
export function staffPeopleRoutes(app: FastifyInstance, context: Context): void {
  staffExportRoutes(app, context);
  const { db, authentication } = context;
  const requirePeople = async ({ request, reply }: Exchange) =>
    requireStaff(db, await authentication.authenticate(request, reply), 'people');

  mount(app, 'GET /api/staff/people', async ({ query: { after, ...filter } }, exchange) => {
    const { scopes } = await requirePeople(exchange);
    return searchPeople(db, scopes, filter, after);
  });
  mount(app, 'GET /api/staff/people/{id}', async ({ params }, exchange) => {
    const file = await findPersonFile(context, await requirePeople(exchange), params.id);
    if (!file) throw new ProblemError('not-found');
    return file;
  });
  mount(app, 'POST /api/staff/people/{id}/looks', async ({ params: { id }, body }, exchange) => {
    const staff = await requirePeople(exchange);
    requireRecentSignIn(staff.session);
    const { reason, text = '' } = body;
    if (reason === 'other' && text === '')
      throw new ProblemError('validation-failed', { errors: [{ pointer: '/text', message: 'Write the reason' }] });
    await db.transaction().execute(async (tx) => {
      await requireTouchable(tx, staff, id);
      await recordLook(tx, {
        accountId: id,
        staffId: staff.accountId,
        reason,
        text: reason === 'other' ? text : '',
      });
    });
  });
  mount(app, 'GET /api/users/{id}/looks', async ({ params: { id } }, { request, reply }) => {
    const { account } = requireSession(await authentication.authenticate(request, reply));
    if (account.id !== id) throw new ProblemError('permission-denied');
    return { looks: await findLooks(db, id), exports: await findExportCount(db, id) };
  });
}

import type * as z from 'zod/mini';
import type { FastifyInstance } from 'fastify';
import type { StaffAccount } from '#contract/staff/claims.ts';
import type { Context } from '#server/domain/context.ts';
import { lockAccount } from '#server/domain/accounts/sessions.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffRead } from '#server/domain/staff/audit-log.ts';
import type { Staff } from '#server/domain/staff/guard.ts';
import { requireMayActOn } from '#server/domain/staff/people-guard.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { linkToEntry } from './link-to-entry.ts';
import { askClaimant, openDocument } from './questions.ts';
import { findHistory } from './staff-history.ts';
import { findStaffChange, findStaffClaim, findStaffDispute } from './staff-details.ts';

export function staffClaimRoutes(app: FastifyInstance, context: Context): void {
  const { db, institution } = context;
  const toReader = ({ scopes }: Staff) => ({ institution, scopes });
  mount(app, 'GET /api/staff/claims/{id}', async ({ params: { id } }, { staff }) => {
    const claim = requireFound(await findStaffClaim(db, toReader(staff), id));
    requireOthers(staff, claim.account);
    await recordStaffRead(db, { actor: staff.accountId, action: 'claim-read', subject: { kind: 'claim', id } });
    return claim;
  });
  mount(app, 'POST /api/staff/claims/{id}/questions', async ({ params: { id }, body: { text } }, { staff }) =>
    askClaimant(context, staff, id, text),
  );
  mountDownload(app, 'POST /api/staff/claims/{id}/document', async ({ params: { id } }, { staff, reply }) => {
    const { type, content } = await openDocument(context, staff, id);
    reply.type(type === 'pdf' ? 'application/pdf' : 'image/webp').header('content-security-policy', 'sandbox');
    return { name: `document.${type}`, content };
  });
  mount(app, 'GET /api/staff/people/{id}/membership-history', async ({ params: { id } }, { staff }) => {
    const { accountId, scopesOf } = staff;
    const scopes = { claimScopes: scopesOf.get('claims') ?? [], reportScopes: scopesOf.get('reports') ?? [] };
    const events = requireFound(await findHistory(context, { accountId, ...scopes }, id));
    await recordStaffRead(db, { actor: accountId, action: 'person-file-read', subject: { kind: 'account', id } });
    return { events };
  });
  mount(app, 'GET /api/staff/changes/{id}', async ({ params: { id } }, { staff }) => {
    const change = requireFound(await findStaffChange(db, toReader(staff), id));
    requireOthers(staff, change.account);
    await recordStaffRead(db, { actor: staff.accountId, action: 'change-read', subject: { kind: 'change', id } });
    return change;
  });
  mount(app, 'GET /api/staff/disputes/{id}', async ({ params: { id } }, { staff }) => {
    const dispute = requireFound(await findStaffDispute(db, toReader(staff), id));
    requireOthers(staff, dispute.holder.account, dispute.claimant?.account);
    await recordStaffRead(db, { actor: staff.accountId, action: 'dispute-read', subject: { kind: 'dispute', id } });
    return dispute;
  });
  mount(app, 'POST /api/staff/roster/entries/{id}/link', async ({ params: { id: entryId }, body }, { staff }) => {
    await db.transaction().execute(async (tx) => {
      // First, so that a role that is granted at the same time is seen.
      await lockAccount(tx, body.accountId);
      await requireMayActOn(tx, staff, body.accountId);
      await countStaffAction({ ...context, db: tx }, staff, body.accountId);
      const detail = await linkToEntry(context, tx, staff, { ...body, entryId });
      if (detail !== null) throw refused(detail);
    });
    context.listCache.clear();
  });
}

function requireFound<Item>(item: Item | null): Item {
  if (item === null) throw new ProblemError('not-found');
  return item;
}

/**
 * Requires that an item is about other people: staff would read what others claim or answer about them, and how guesses
 * compare with the roster.
 * @throws ProblemError permission-denied
 */
function requireOthers({ accountId }: Staff, ...accounts: readonly (z.input<typeof StaffAccount> | undefined)[]): void {
  if (accounts.some((account) => account?.id === accountId))
    throw new ProblemError('permission-denied', {
      detail: 'This item is about you. Another member of staff must decide it.',
    });
}

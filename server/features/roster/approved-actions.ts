import * as z from 'zod/mini';
import type { ImportCounts, RosterImport as ImportAnswer } from '#contract/roster.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { ImportRefused, requireUndoable } from '#server/domain/roster/import/import-steps.ts';
import {
  type RosterImport,
  checkedAgain,
  findImport,
  isLastCheck,
  saveProgress,
} from '#server/domain/roster/import/roster-imports.ts';
import { ActionRefused, type ApprovedAction, findApprovals, requestApproval } from '#server/domain/staff/approvals.ts';
import { rosterStepJob } from './jobs.ts';

const ImportPayload = z.object({ importId: z.int(), checkedAt: z.optional(z.string()) });
type ImportPayload = z.infer<typeof ImportPayload>;

const kinds = { apply: 'roster-apply', undo: 'roster-undo' } as const;
type Step = keyof typeof kinds;

const describe: ApprovedAction['describe'] = async (db, payload) => {
  const { importId } = ImportPayload.parse(payload);
  const one = await findImport(db, importId);
  return one ? `import ${one.id}, ${one.fileName}` : `import ${importId}`;
};

/** Refused if the import was checked again since the request. */
export const rosterApplyAction: ApprovedAction = {
  kind: kinds.apply,
  right: 'roster',
  describe,
  run: async (_, tx, { payload, requestedBy }) => {
    const { importId, checkedAt } = ImportPayload.parse(payload);
    const one = await findImport(tx, importId);
    if (one?.state === 'cancelled') throw new ActionRefused('The import was discarded.');
    if (one?.state !== 'checked' || !isLastCheck(one, checkedAt)) throw new ActionRefused(checkedAgain);
    await queueStep(tx, { importId, step: 'apply', checkedAt, accountId: requestedBy });
  },
};

/** Refused if an import that builds on it was applied since the request. */
export const rosterUndoAction: ApprovedAction = {
  kind: kinds.undo,
  right: 'roster',
  describe,
  run: async (_, tx, { payload, requestedBy }) => {
    const { importId } = ImportPayload.parse(payload);
    await requireUndoable(tx, importId).catch((error: unknown) => {
      throw error instanceof ImportRefused ? new ActionRefused(error.message) : error;
    });
    await queueStep(tx, { importId, step: 'undo', accountId: requestedBy });
  },
};

export async function queueStep(tx: Db, job: Parameters<typeof rosterStepJob.queue>[1]): Promise<void> {
  await saveProgress(tx, job.importId, job.step, 0);
  await rosterStepJob.queue(tx, job);
}

export const requestStep = (
  context: Pick<Context, 'limiter'>,
  tx: Db,
  step: Step,
  { counts, ...payload }: ImportPayload & { counts: ImportCounts },
  requestedBy: string,
): Promise<string> =>
  requestApproval(context, tx, {
    kind: kinds[step],
    payload,
    people: counts.changed + counts.missing + (step === 'undo' ? counts.new : 0),
    requestedBy,
  });

/** Returns requests that are pending or about to run, by import id. One for an earlier check no longer counts. */
export async function findRequests(
  db: Db,
): Promise<(one: Pick<RosterImport, 'id' | 'checkedAt'>) => z.input<typeof ImportAnswer>['approval']> {
  const found = await findApprovals(db, { kinds: Object.values(kinds) });
  const open = found.filter(({ state }) => state === 'waiting' || state === 'approved');
  return (one) => {
    const request = open.find(({ kind, payload }) => {
      const { importId, checkedAt } = ImportPayload.parse(payload);
      return importId === one.id && (kind === kinds.undo || checkedAt === one.checkedAt?.toISOString());
    });
    return request ? { ...request, step: request.kind === kinds.undo ? 'undo' : 'apply' } : null;
  };
}

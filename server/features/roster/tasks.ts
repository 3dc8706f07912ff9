import { type ImportStep, importRetentionDays } from '#contract/roster-values.ts';
import type { Db } from '#server/db/client.ts';
import type { Context } from '#server/domain/context.ts';
import { RosterFileError } from '#server/domain/roster/file/roster-file.ts';
import {
  ImportRefused,
  applyImport,
  checkRows,
  detectFile,
  lockImports,
  undoImport,
} from '#server/domain/roster/import/import-steps.ts';
import {
  type RosterImport,
  cancelOldImports,
  findImport,
  checkedAgain,
  findOpenImport,
  isLastCheck,
  saveChecked,
  saveDetected,
  saveFailure,
  saveProgress,
} from '#server/domain/roster/import/roster-imports.ts';
import { findScopes } from '#server/domain/staff/guard.ts';
import type { JobHandlers } from '#server/platform/jobs/define-job.ts';
import type { LocalFile } from '#server/platform/storage/file-store.ts';
import { deleteOtherFiles, deleteRosterFile, openRosterFile } from './files.ts';
import { deleteRosterFilesJob, rosterStepJob } from './jobs.ts';

const progressStep = 0.02;

export const rosterTasks = (context: Context): JobHandlers => ({
  ...rosterStepJob.handle((job, { signal }) => runStep(context, job, signal)),
  ...deleteRosterFilesJob.handle(async () => {
    await cancelOldImports(context.db, importRetentionDays);
    const open = await findOpenImport(context.db);
    await deleteOtherFiles(context, open?.id ?? null);
  }),
});

type StepJob = {
  importId: number;
  step: ImportStep;
  checkedAt?: string | undefined;
  accountId?: string | undefined;
};

async function runStep(context: Context, job: StepJob, signal: AbortSignal): Promise<void> {
  const { db } = context;
  const { importId: id, step } = job;
  const one = await findImport(db, id);
  if (!one) return;
  let shown = 0;
  const onProgress = async (share: number) => {
    signal.throwIfAborted();
    if (share - shown < progressStep) return;
    shown = share;
    await saveProgress(db, id, step, share);
  };
  try {
    await saveProgress(db, id, step, 0);
    await steps[step](context, one, onProgress, job);
    await saveFailure(db, id, '');
  } catch (error) {
    await saveFailure(db, id, describeFailure(error));
    if (!(error instanceof ImportRefused || error instanceof RosterFileError)) throw error;
  }
}

function describeFailure(error: unknown): string {
  if (error instanceof RosterFileError) return `${error.message} To upload another file, discard this import first.`;
  return error instanceof ImportRefused ? error.message : 'This step failed. It will be tried again.';
}

type Step = (
  context: Context,
  one: RosterImport,
  onProgress: (share: number) => Promise<void>,
  job: StepJob,
) => Promise<void>;

const steps: Record<ImportStep, Step> = {
  detect: async (context, one) => {
    await using content = await requireFile(context, one);
    await detect(context, one, content);
  },
  check: async (context, one, onProgress) => {
    await using content = await requireFile(context, one);
    const { path } = content;
    const file = one.detected ?? (await detect(context, one, content));
    await context.inBulkTransaction(async (tx, client) => {
      await lockImports(tx);
      await saveChecked(
        tx,
        one.id,
        await checkRows(tx, client, { importId: one.id, path, file, options: one.options, onProgress }),
      );
    });
  },
  apply: async (context, { id }, onProgress, { checkedAt, accountId }) => {
    await context.inBulkTransaction(async (tx) => {
      await lockImports(tx);
      const one = await findImport(tx, id);
      // Requested twice, or a retry after the commit.
      if (one?.state === 'applied' || one?.state === 'undone') return;
      await requireRegistrar(tx, accountId);
      if (!isLastCheck(one, checkedAt)) throw new ImportRefused(checkedAgain);
      await applyImport(tx, id, accountId ?? null, onProgress);
    });
    await deleteRosterFile(context, id);
  },
  undo: ({ inBulkTransaction }, { id }, _, { accountId }) =>
    inBulkTransaction(async (tx) => {
      await lockImports(tx);
      if ((await findImport(tx, id))?.state === 'undone') return;
      await requireRegistrar(tx, accountId);
      await undoImport(tx, id, accountId ?? null);
    }),
};

/** The role can have ended since the step was requested. @throws ImportRefused */
async function requireRegistrar(tx: Db, accountId: string | undefined): Promise<void> {
  if (accountId !== undefined && (await findScopes(tx, accountId))('roster').length === 0)
    throw new ImportRefused(
      'The person who started this step may no longer import the roster. Ask an owner to start it again.',
    );
}

async function detect(context: Context, one: RosterImport, { path }: LocalFile) {
  const file = await detectFile(context.db, path, one.options, context.institution);
  await saveDetected(context.db, one.id, file);
  return file;
}

async function requireFile(context: Context, { id }: RosterImport): Promise<LocalFile> {
  const file = await openRosterFile(context, id);
  if (file) return file;
  throw new ImportRefused('The uploaded file is no longer there. Discard this import, and upload the file again.');
}

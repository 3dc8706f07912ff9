import type * as z from 'zod/mini';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { RosterImport as ImportAnswer } from '#contract/roster.ts';
import type { Context } from '#server/domain/context.ts';
import { fold } from '#server/domain/search/folding.ts';
import { formatLine } from '#server/domain/roster/file/sheets.ts';
import { ImportRefused, findApplied, requireUndoable } from '#server/domain/roster/import/import-steps.ts';
import {
  type RosterImport,
  cancelImport,
  changeOptions,
  checkedAgain,
  findImport,
  findImports,
  findImportsWithErrors,
  findRowErrors,
  insertImport,
  isLastCheck,
} from '#server/domain/roster/import/roster-imports.ts';
import { needsSecondPerson } from '#server/domain/roster/import/second-person.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { requireStaff } from '#server/domain/staff/guard.ts';
import { formatCsvRow } from '#server/platform/storage/csv.ts';
import { mount, mountDownload, mountUpload } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { findRequests, queueStep, requestStep } from './approved-actions.ts';
import { deleteRosterFile, storeRosterFile } from './files.ts';

const listedImports = 50;

const maxErrors = 10_000;

export function rosterRoutes(app: FastifyInstance, context: Context): void {
  const { db } = context;
  const requireImport = async (id: string): Promise<RosterImport> => {
    const found = await findImport(db, Number(id));
    if (!found) throw new ProblemError('not-found');
    return found;
  };
  const requireOpen = async (id: string): Promise<RosterImport> => {
    const one = await requireImport(id);
    if (one.state !== 'uploaded' && one.state !== 'checked') throw refused('This import is closed.');
    return one;
  };
  const toAnswers = async (
    imports: readonly RosterImport[],
    accountId: string,
  ): Promise<z.input<typeof ImportAnswer>[]> => {
    const findRequest = await findRequests(db);
    const applied = await findApplied(db);
    const withErrors = await findImportsWithErrors(db);
    const toFullAnswer = async (one: RosterImport) => ({
      ...toAnswer(one),
      needsApproval:
        one.state === 'checked' && one.counts !== null && (await needsSecondPerson(db, one.counts, accountId)),
      undoRefusal: applied.find(({ id }) => id === one.id)?.refusal ?? null,
      hasErrors: withErrors.has(one.id),
      approval: findRequest(one),
    });
    return Promise.all(imports.map(toFullAnswer));
  };
  const findAnswer = async (id: string, accountId: string) => {
    const [answer] = await toAnswers([await requireImport(id)], accountId);
    if (!answer) throw new ProblemError('not-found');
    return answer;
  };
  const requireNoRequest = async (one: RosterImport) => {
    if ((await findRequests(db))(one)) throw refused('This import already waits for an approval.');
  };

  mount(app, 'GET /api/staff/roster/imports', async (_, { staff }) => ({
    imports: await toAnswers(await findImports(db, listedImports), staff.accountId),
  }));
  mountUpload(app, 'POST /api/staff/roster/imports', async ({ query: { name } }, { staff }, content) => {
    await context.limiter.requireBelowLimit(db, 'rosterUploadsByAccount', staff.accountId);
    const id = await storeRosterFile(context, content, async (digest) => {
      // The role or the session may have ended while the file arrived.
      const { accountId } = await requireStaff(db, staff.session, 'roster');
      await context.limiter.requireAttempt(db, 'rosterUploadsByAccount', accountId);
      return insertImport(db, { fileName: name, digest, options: {}, accountId }).catch(toProblem);
    });
    await queueStep(db, { importId: id, step: 'detect' });
    return findAnswer(String(id), staff.accountId);
  });
  mount(app, 'GET /api/staff/roster/imports/{id}', async ({ params }, { staff }) =>
    findAnswer(params.id, staff.accountId),
  );
  mount(app, 'PUT /api/staff/roster/imports/{id}/settings', async ({ params, body }, { staff }) => {
    await countStaffAction(context, staff);
    const { id } = await requireOpen(params.id);
    const { erase = [], isPartial = false, years, thenCheck = false, departments = {}, ...rest } = body;
    const settings = { ...withoutUndefined(rest), departments: foldKeys(departments) };
    if (!(await changeOptions(db, id, { erase, isPartial, ...(years && { years }), settings })))
      throw refused('This import is closed.');
    await queueStep(db, { importId: id, step: thenCheck ? 'check' : 'detect' });
  });
  mount(app, 'POST /api/staff/roster/imports/{id}/check', async ({ params }, { staff }) => {
    await countStaffAction(context, staff);
    await queueStep(db, { importId: (await requireOpen(params.id)).id, step: 'check' });
  });
  mount(app, 'POST /api/staff/roster/imports/{id}/apply', async ({ params, body }, { staff: { accountId } }) => {
    const one = await requireOpen(params.id);
    if (one.state !== 'checked' || !one.counts) throw refused('Compare the file with the roster first.');
    if (!isLastCheck(one, body.checkedAt)) throw refused(checkedAgain);
    const open = one.warnings.map(({ kind }) => kind).filter((kind) => !body.confirmed.includes(kind));
    if (open.length > 0) throw refused(`Confirm these warnings first: ${open.join(', ')}.`);
    const { id: importId, counts } = one;
    const { checkedAt } = body;
    if (await needsSecondPerson(db, counts, accountId)) {
      await requireNoRequest(one);
      await db
        .transaction()
        .execute((tx) => requestStep(context, tx, 'apply', { importId, checkedAt, counts }, accountId));
      return { result: 'requested' as const };
    }
    await queueStep(db, { importId, step: 'apply', checkedAt, accountId });
    return { result: 'started' as const };
  });
  mount(app, 'POST /api/staff/roster/imports/{id}/cancel', async ({ params }, { staff }) => {
    const { id } = await requireOpen(params.id);
    if (!(await cancelImport(db, id, staff.accountId))) throw refused('This import is closed.');
    await deleteRosterFile(context, id);
  });
  mount(app, 'POST /api/staff/roster/imports/{id}/undo', async ({ params }, { staff: { accountId } }) => {
    const one = await requireImport(params.id);
    const { counts } = await requireUndoable(db, one.id).catch(toProblem);
    await requireNoRequest(one);
    await db.transaction().execute((tx) => requestStep(context, tx, 'undo', { importId: one.id, counts }, accountId));
    return { result: 'requested' as const };
  });
  mountDownload(app, 'GET /api/staff/roster/imports/{id}/errors', async ({ params }) => {
    const { id, options } = await requireImport(params.id);
    const errors = await findRowErrors(db, id, maxErrors);
    if (errors.length === 0) throw new ProblemError('not-found');
    const lines = [
      ['Row', 'Column', 'Value', 'Reason'],
      ...errors.map(({ line, column, value, reason }) => [
        formatLine(line, options.settings?.sheets ?? []),
        column ?? '',
        value,
        reason,
      ]),
    ];
    return {
      name: `roster-errors-${id}.csv`,
      content: Readable.from(lines.map(formatCsvRow)),
    };
  });
}

const refused = (detail: string) => new ProblemError('roster/refused', { detail });

function toProblem(error: unknown): never {
  throw error instanceof ImportRefused ? refused(error.message) : error;
}

const foldKeys = (departments: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(departments).map(([spelling, name]) => [fold(spelling), name]));

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };
const withoutUndefined = <T extends object>(value: T): Partial<Defined<T>> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Partial<Defined<T>>;

function toAnswer({
  detected,
  options,
  ...one
}: RosterImport): Omit<z.input<typeof ImportAnswer>, 'needsApproval' | 'undoRefusal' | 'hasErrors' | 'approval'> {
  return {
    ...one,
    file: detected && {
      kind: detected.kind,
      encoding: detected.settings.encoding,
      delimiter: detected.settings.delimiter,
      chosenSheets: [...detected.settings.sheets],
      headerLine: detected.settings.headerLine,
      nameOrder: detected.settings.nameOrder,
      dateOrder: detected.settings.dateOrder,
      departments: { ...options.settings?.departments },
      sheets: detected.sheets.map(({ name, headings }) => ({ name, headings: [...headings] })),
      rowCount: detected.rowCount,
      columns: detected.columns.map(({ key, fillRate, samples, isLeftOut }) => ({
        key,
        fillRate,
        samples: [...samples],
        field: detected.settings.mapping[key] ?? null,
        isLeftOut,
      })),
      nameSamples: [...detected.nameSamples],
      unknownDepartments: [...detected.unknownDepartments],
    },
    erase: [...(options.erase ?? [])],
    isPartial: options.isPartial ?? false,
    years: options.years ?? null,
    warnings: [...one.warnings],
  };
}

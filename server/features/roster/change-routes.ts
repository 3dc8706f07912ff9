import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ChangeFilter, PlannedChange } from '#contract/roster.ts';
import { changeKindNames, fieldNames } from '#contract/roster-values.ts';
import { type Words, replaceTerms } from '#contract/words.ts';
import type { Context } from '#server/domain/context.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import { ImportRefused, requireStagedRows } from '#server/domain/roster/import/import-steps.ts';
import { findPlannedChanges } from '#server/domain/roster/import/planned-changes.ts';
import { findImport } from '#server/domain/roster/import/roster-imports.ts';
import { recordStaffRead } from '#server/domain/staff/audit-log.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { formatCsvRow } from '#server/platform/storage/csv.ts';

const changesPerPage = 50;
const changesPerQuery = 10_000;

export function changeRoutes(app: FastifyInstance, { db, institution: { words } }: Context): void {
  /** Records the read, because the changes show people of the roster. */
  async function openChanges(id: string, actor: string) {
    const one = await findImport(db, Number(id));
    if (!one) throw new ProblemError('not-found');
    if (one.state !== 'checked' || one.step !== null || !one.counts)
      throw new ProblemError('roster/refused', { detail: 'Compare the file with the roster first.' });
    await requireStagedRows(db, one.counts).catch((error: unknown) => {
      throw error instanceof ImportRefused ? new ProblemError('roster/refused', { detail: error.message }) : error;
    });
    await recordStaffRead(db, { actor, action: 'roster-changes-read', subject: { kind: 'roster-import', id } });
    return (filter: ChangeFilter, after: number, limit: number) =>
      findPlannedChanges(db, one.options, filter, { after, limit });
  }

  mount(app, 'GET /api/staff/roster/imports/{id}/changes', async ({ params, query }, { staff }) => {
    const findChanges = await openChanges(params.id, staff.accountId);
    const { after = '0', ...filter } = query;
    const found = await findChanges(filter, Number(after), changesPerPage + 1);
    const changes = found.slice(0, changesPerPage);
    return { changes, next: found.length > changesPerPage ? String(changes.at(-1)?.at) : null };
  });
  mountDownload(app, 'GET /api/staff/roster/imports/{id}/changes/file', async ({ params, query }, { staff }) => {
    const findChanges = await openChanges(params.id, staff.accountId);
    async function* readLines() {
      yield replaceTerms('Change,Row,Matric number,Name,Department,Year graduated,Column,Before,After\r\n', words);
      for (let after = 0, isEnd = false; !isEnd;) {
        const changes = await findChanges(query, after, changesPerQuery);
        yield changes.flatMap((change) => toCsvRows(change, query.kind, words).map(formatCsvRow)).join('');
        after = changes.at(-1)?.at ?? after;
        isEnd = changes.length < changesPerQuery;
      }
    }
    return { name: `roster-${query.kind}-${params.id}.csv`, content: Readable.from(readLines()) };
  });
}

function toCsvRows(change: PlannedChange, kind: ChangeFilter['kind'], words: Words): string[][] {
  const { row, matricNumber, name, department, yearGraduated, isBack, values } = change;
  const person = [row, matricNumber, name, department, yearGraduated].map((value) => String(value ?? ''));
  const lines = values.map(({ field, before, after }) => [
    replaceTerms(fieldNames[field], words),
    before ?? '',
    after ?? '',
  ]);
  const note = isBack ? [['', 'missing', 'in the file again']] : [];
  return (lines.length + note.length > 0 ? [...lines, ...note] : [['', '', '']]).map((rest) => [
    changeKindNames[kind],
    ...person,
    ...rest,
  ]);
}

import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { tracerCountHeading, tracerCountNames } from '#contract/staff/tracer-counts.ts';
import { replaceTerms } from '#contract/words.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import {
  findMerged,
  findProposals,
  mergeEmployer,
  suggestEmployers,
  toEmployerDigest,
} from '#server/domain/careers/employers.ts';
import { findTracerReport, groupByDepartment, toTracerSum } from '#server/domain/careers/tracer.ts';
import type { Context } from '#server/domain/context.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffAction } from '#server/domain/staff/audit-log.ts';
import { refused } from '#server/domain/staff/refused.ts';
import { byteOrderMark, formatCsvRow } from '#server/platform/storage/csv.ts';
import { rewriteEmployersJob } from './jobs.ts';

const maxFound = 50;

/** Longer than any save takes. */
const repeatDelaySeconds = 600;

export function staffCareerRoutes(app: FastifyInstance, context: Context): void {
  const { db, institution } = context;

  mount(app, 'GET /api/staff/employers', async ({ query: { q } }) => {
    if (q === undefined) return { found: [], proposals: await findProposals(db), merged: await findMerged(db) };
    const found = await suggestEmployers(db, q, maxFound);
    return { found, proposals: [], merged: await findMerged(db, found) };
  });
  mount(app, 'POST /api/staff/employers', async ({ body: { key, into } }, { staff }) => {
    await countStaffAction(context, staff);
    await db.transaction().execute(async (tx) => {
      const changed = await mergeEmployer(tx, key, into);
      await rewriteEmployersJob.queue(tx, { key: changed });
      // A save that began earlier may write the old key after the first job.
      await rewriteEmployersJob.queue(tx, { key: changed }, { key: randomUUID(), delaySeconds: repeatDelaySeconds });
      await recordStaffAction(tx, {
        actor: staff.accountId,
        action: into === null ? 'employers-separated' : 'employers-merged',
        subject: { kind: 'employer', id: toEmployerDigest(key) },
        ...(into !== null && { details: { into: toEmployerDigest(into) } }),
      });
    });
  });

  mount(app, 'GET /api/staff/tracer', async ({ query }, { staff }) => {
    const report = await findTracerReport(db, staff.scopes);
    const { asOf = null, countsRoster = false, rows = [] } = report ?? {};
    const departments = groupByDepartment(rows);
    const chosen = departments.find(
      ({ college, department }) => (college ?? '') === query.college && (department ?? '') === query.department,
    );
    const total = chosen?.sum ?? toTracerSum(rows);
    return { asOf, countsRoster, departments, total, rows: [...(chosen?.rows ?? [])] };
  });
  mountDownload(app, 'GET /api/staff/tracer/file', async (_, { staff }) => {
    await countStaffAction(context, staff);
    const report = await findTracerReport(db, staff.scopes);
    if (!report) throw refused('There is no report yet. Try again in a minute.');
    const month = report.asOf.slice(0, 'YYYY-MM'.length);
    await db.transaction().execute((tx) =>
      recordStaffAction(tx, {
        actor: staff.accountId,
        action: 'tracer-downloaded',
        subject: { kind: 'tracer', id: month },
        details: { rows: report.rows.length },
      }),
    );
    const headings = [
      'College',
      'Department',
      'Program',
      'Year graduated',
      ...tracerCountNames.map((name) => tracerCountHeading(name, report.countsRoster)),
    ];
    const lines = [
      headings.map((heading) => replaceTerms(heading, institution.words)),
      ...report.rows.map(({ college, department, program, year, ...counts }) => [
        ...[college, department, program].map((text) => text ?? ''),
        year === 'all' ? 'All years' : (year ?? ''),
        ...tracerCountNames.map((name) => counts[name] ?? '–'),
      ]),
    ];
    const content = Readable.from([byteOrderMark, ...lines.map((cells) => formatCsvRow(cells))]);
    return { name: `tracer-report-${month}.csv`, content };
  });
}

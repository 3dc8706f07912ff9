import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { allYears, tracerCountHeading, tracerCountNames } from '#contract/staff/tracer-counts.ts';
import { replaceTerms } from '#contract/words.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import {
  findMerged,
  findProposals,
  mergeEmployer,
  suggestEmployers,
  toEmployerDigest,
} from '#server/domain/careers/employers.ts';
import { findTracerReport, sumByDepartment, sumShown } from '#server/domain/careers/tracer.ts';
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
    const { rows: all, ...report } = await findTracerReport(db, staff.scopes);
    const rows = all.filter(
      ({ college, department }) =>
        query.department === undefined ||
        ((college ?? '') === query.college && (department ?? '') === query.department),
    );
    return { ...report, rows: query.department === undefined ? sumByDepartment(rows) : rows, total: sumShown(rows) };
  });
  mountDownload(app, 'GET /api/staff/tracer/file', async (_, { staff }) => {
    await countStaffAction(context, staff);
    const { asOf, countsRoster, rows } = await findTracerReport(db, staff.scopes);
    if (asOf === null) throw refused('There is no report yet. Try again in a minute.');
    const month = asOf.slice(0, 'YYYY-MM'.length);
    await db.transaction().execute((tx) =>
      recordStaffAction(tx, {
        actor: staff.accountId,
        action: 'tracer-downloaded',
        subject: { kind: 'tracer', id: month },
        details: { rows: rows.length },
      }),
    );
    const headings = tracerCountNames.map((name) => tracerCountHeading(name, countsRoster));
    const lines = [
      ['College', 'Department', 'Program', 'Year graduated', ...headings].map((heading) =>
        replaceTerms(heading, institution.words),
      ),
      ...rows.map(({ college, department, program, year, ...counts }) => [
        ...[college, department, program, year === allYears ? 'All years' : year].map((value) => value ?? ''),
        ...tracerCountNames.map((name) => counts[name] ?? '–'),
      ]),
    ];
    const content = Readable.from([byteOrderMark, ...lines.map((cells) => formatCsvRow(cells))]);
    return { name: `tracer-report-${month}.csv`, content };
  });
}

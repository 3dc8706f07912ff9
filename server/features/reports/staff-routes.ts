import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { restoreAccount, restorePhoto, restoreProfile } from '#server/domain/staff/moderation.ts';
import { pictureSizes } from '#server/domain/people/picture-sizes.ts';
import { countStaffAction } from '#server/domain/staff/action-limits.ts';
import { recordStaffRead } from '#server/domain/staff/audit-log.ts';
import type { StaffOfAny } from '#server/domain/staff/guard.ts';
import { requireMayActOn } from '#server/domain/staff/people-guard.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import {
  type ReportReader,
  describeStaffReport,
  findActedReports,
  findStaffReport,
  pictureOf,
} from './staff-queries.ts';

const restorers = { profile: restoreProfile, account: restoreAccount };

export function staffReportRoutes(app: FastifyInstance, context: Context): void {
  const { db, media, listCache, institution } = context;
  const toReader = ({ accountId, scopesOf }: StaffOfAny): ReportReader => ({
    institution,
    accountId,
    scopes: scopesOf.get('reports') ?? [],
    deathScopes: scopesOf.get('deaths') ?? [],
  });
  const requireReport = async (reader: ReportReader, id: string) => {
    const report = await findStaffReport(db, reader, id);
    if (!report) throw new ProblemError('not-found');
    return report;
  };

  /** Like `requireReport`, for an answer that shows the report: it is recorded. */
  const requireReadReport = async (reader: ReportReader, id: string) => {
    const report = await requireReport(reader, id);
    await recordStaffRead(db, { actor: reader.accountId, action: 'report-read', subject: { kind: 'report', id } });
    return report;
  };

  mount(app, 'GET /api/staff/reports', async (_, { staff }) => ({
    reports: await findActedReports(db, institution, staff),
  }));
  mount(app, 'GET /api/staff/reports/{id}', async ({ params }, { staff }) => {
    const reader = toReader(staff);
    return describeStaffReport(db, reader, await requireReadReport(reader, params.id));
  });
  mountDownload(app, 'GET /api/staff/reports/{id}/picture', async ({ params }, { staff }) => {
    const report = await requireReadReport(toReader(staff), params.id);
    const picture = pictureOf(report);
    const size = report.kind === 'photo' ? pictureSizes.photo.maxLength : pictureSizes.portrait.widths[2];
    const content = picture === null ? null : await media.read(picture, size);
    if (!content) throw new ProblemError('not-found');
    return { name: 'picture.webp', content: Readable.from([content]) };
  });
  mount(app, 'POST /api/staff/reports/{id}/restore', async ({ params, body: { what, text = '' } }, { staff }) => {
    const { id, photoId, subjectId, closedAt } = await requireReport(
      { ...staff, institution, deathScopes: [] },
      params.id,
    );
    // A decision takes 30 seconds and is not for reporters.
    if (closedAt === null)
      throw new ProblemError('not-found', {
        detail: 'Nothing was decided yet. Decide the report in the review queue.',
      });
    const [target, restore] = what === 'photo' ? [photoId, restorePhoto] : [subjectId, restorers[what]];
    if (target === null) throw new ProblemError('not-found', { detail: 'The photo, profile or account was deleted.' });
    await countStaffAction(context, staff, subjectId ?? id);
    const moderation = { actor: staff.accountId, text, reportId: id };
    const failure = await db.transaction().execute(async (tx) => {
      if (what === 'account') await requireMayActOn(tx, staff, target);
      return restore(tx, target, moderation);
    });
    if (failure !== null) throw new ProblemError('not-found', { detail: failure });
    listCache.clear();
  });
}

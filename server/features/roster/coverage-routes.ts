import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { replaceTerms } from '#contract/words.ts';
import type { Context } from '#server/domain/context.ts';
import { findCoverage } from '#server/domain/roster/coverage.ts';
import { mount, mountDownload } from '#server/domain/api/mount.ts';
import { formatCsvRow } from '#server/platform/storage/csv.ts';

export function coverageRoutes(app: FastifyInstance, { db, institution }: Context): void {
  mount(app, 'GET /api/staff/coverage', async (_, { staff }) => findCoverage(db, institution, staff.scopes));
  mountDownload(app, 'GET /api/staff/coverage/file', async (_, { staff }) => {
    const { departments } = await findCoverage(db, institution, staff.scopes);
    const lines = [
      replaceTerms(
        'College,Department,Year graduated,On the roster,Confirmed,Listed,Reachable,Invited,Opened the link,Joined',
        institution.words,
      ).split(','),
      ...departments.flatMap(({ college, department, classes }) =>
        classes.map(({ year, onRoster, confirmed, listed, reachable, ...one }) =>
          [college, department, year, onRoster, confirmed, listed, reachable, one.invited, one.opened, one.joined].map(
            (value) => String(value ?? ''),
          ),
        ),
      ),
    ];
    return { name: 'coverage.csv', content: Readable.from(lines.map((cells) => formatCsvRow(cells))) };
  });
}

import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../domain/context.ts';
import { findCoverage } from '../../domain/roster/coverage.ts';
import { requireStaff } from '../../domain/staff/guard.ts';
import { type Exchange, mount, mountDownload } from '../../platform/http/mount.ts';
import { formatCsvRow } from '../../platform/storage/csv.ts';

/** Adds the routes of how many people the archive reaches, for all staff within their scopes. */
export function coverageRoutes(app: FastifyInstance, { db, authentication, institution }: Context): void {
  const find = async ({ request, reply }: Exchange) => {
    const { scopes } = await requireStaff(db, await authentication.authenticate(request, reply), 'coverage');
    return findCoverage(db, institution, scopes);
  };

  mount(app, 'GET /api/staff/coverage', (_, exchange) => find(exchange));
  mountDownload(app, 'GET /api/staff/coverage/file', async (_, exchange) => {
    const { departments } = await find(exchange);
    const lines = [
      ['College', 'Department', 'Year graduated', 'On the roster', 'Confirmed', 'Listed', 'Reachable'],
      ...departments.flatMap(({ college, department, classes }) =>
        classes.map(({ year, onRoster, confirmed, listed, reachable }) =>
          [college, department, year, onRoster, confirmed, listed, reachable].map((value) => String(value ?? '')),
        ),
      ),
    ];
    return { name: 'coverage.csv', content: Readable.from(lines.map((cells) => formatCsvRow(cells))) };
  });
}

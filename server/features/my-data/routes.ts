import type { FastifyInstance } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { type CollectMyData, type MyDataPart, jsonFile } from '#server/domain/my-data.ts';
import { recordAuditEvent } from '#server/domain/staff/audit-events.ts';
import { mountDownload } from '#server/domain/api/mount.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { type ZipFile, createZip } from '#server/platform/storage/zip.ts';
import { createReadme } from './readme.ts';

/** See docs/decisions/0017-self-service-export-and-deletion.md. */
export function myDataRoutes(app: FastifyInstance, context: Context, collectors: readonly CollectMyData[]): void {
  mountDownload(app, 'GET /api/users/{id}/export', async ({ params }, { session, request }) => {
    if (session.account.id !== params.id)
      throw new ProblemError('permission-denied', { detail: 'You can download only your own data.' });
    await context.limiter.requireAttempt(context.db, 'exportByAccount', session.account.id);
    const parts: MyDataPart[] = [];
    for (const collect of collectors) parts.push(await collect(context, session));
    recordAuditEvent(request.log, 'data downloaded');
    const day = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
    return {
      name: `my-data-${day}.zip`,
      content: createZip(listFiles(parts, createReadme(context.institution.name, day, parts))),
    };
  });
}

async function* listFiles(parts: readonly MyDataPart[], text: string): AsyncGenerator<ZipFile> {
  yield { path: 'README.txt', content: text };
  yield jsonFile('account.json', Object.assign({}, ...parts.map(({ account }) => account)));
  for (const { files } of parts) if (files) yield* files;
}

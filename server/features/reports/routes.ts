import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { mount } from '#server/domain/api/mount.ts';
import { networksOf } from '#server/platform/limits/networks.ts';
import { ProblemError } from '#server/platform/http/problem.ts';
import { confirmReport } from './confirm-report.ts';
import { findMessage, saveReport } from './queries.ts';
import { reportContent, requireContent } from './report-content.ts';
import { staffReportRoutes } from './staff-routes.ts';

/** The link in the mail of a message proves that the caller received the message, so its report needs no sign-in. */
export function reportRoutes(app: FastifyInstance, context: Context): void {
  const { db, limiter, authentication } = context;
  const requireMessage = async ({ ip }: FastifyRequest, code: string) => {
    const message = await findMessage(db, code);
    if (message) return message;
    // Only wrong codes count, so a valid link works even if others on the same network have tried many wrong codes.
    await limiter.requireAttempt(db, 'codesByAddress', networksOf(ip));
    throw new ProblemError('not-found');
  };

  mount(app, 'POST /api/reports/check', async ({ body: { code } }, { request }) => {
    const { senderId, senderName, sentAt } = await requireMessage(request, code);
    return { sender: senderId, senderName, sentAt };
  });
  mount(app, 'POST /api/reports', async ({ body: { code, reason, text = '' } }, { request }) => {
    const message = await requireMessage(request, code);
    await limiter.requireAttempt(db, 'reportsByReporter', message.recipientId);
    await saveReport(db, message, reason, text);
  });

  mount(app, 'GET /api/reports/{kind}/{id}', async ({ params: { kind, id } }, exchange) => {
    const principal = await authentication.authenticate(exchange);
    const content = requireContent(context, principal, kind, id);
    if (kind === 'photo') return content;
    // The title is the name of a person, so this counts as opening the profile.
    const isMissing = await content.then(
      () => false,
      (error: unknown) => error instanceof ProblemError && error.code === 'not-found',
    );
    await context.browsingLimiter.count(isMissing ? 'missing' : 'profiles', exchange);
    return content;
  });
  mount(app, 'POST /api/reports/{kind}/{id}', async ({ params: { kind, id }, body }, exchange) => {
    const principal = await authentication.authenticate(exchange);
    const content = await requireContent(context, principal, kind, id);
    return { result: await reportContent(context, principal, content, body, networksOf(exchange.request.ip)) };
  });
  mount(app, 'POST /api/reports/confirm', async ({ body: { code } }, { request }) => {
    if (await confirmReport(db, code)) return;
    await limiter.requireAttempt(db, 'codesByAddress', networksOf(request.ip));
    throw new ProblemError('not-found');
  });
  staffReportRoutes(app, context);
}

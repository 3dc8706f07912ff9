import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../domain/context.ts';
import { mount } from '../../platform/http/mount.ts';
import { networksOf } from '../../platform/limits/networks.ts';
import { ProblemError } from '../../platform/http/problem.ts';
import { findMessage, saveReport } from './queries.ts';

/** Adds the routes to report messages. The link in the mail proves that the caller received it, so a report needs no sign-in. */
export function reportRoutes(app: FastifyInstance, { db, limiter }: Context): void {
  /** Returns the message of a report code. @throws ProblemError not-found, auth/too-many-requests after many wrong codes from one network */
  const requireMessage = async ({ ip }: FastifyRequest, code: string) => {
    const message = await findMessage(db, code);
    if (message) return message;
    // Only wrong codes count, so a valid link works even if others on the same network have tried many wrong codes.
    await limiter.requireAttempt(db, 'codesByAddress', networksOf(ip));
    throw new ProblemError('not-found');
  };

  mount(app, 'POST /api/reports/check', async ({ body: { code } }, { request }) => {
    const { senderId, senderName, sentAt } = await requireMessage(request, code);
    return { sender: senderId, senderName, sentAt: sentAt.toISOString() };
  });
  mount(app, 'POST /api/reports', async ({ body: { code, reason, text = '' } }, { request }) => {
    const message = await requireMessage(request, code);
    await limiter.requireAttempt(db, 'reportsByReporter', message.recipientId);
    await saveReport(db, message, reason, text);
  });
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Config, isLocal } from '../config/config.ts';
import { escapeHtml } from './mail-html.ts';
import { type OutboxMessage, readOutbox } from './mailer.ts';
import { ProblemError } from '../http/problem.ts';
import { isLoopbackRequest } from '../http/loopback-request.ts';

/**
 * Returns whether `/dev/mail` shows mails: only without a mail server, outside production, and when the site's address
 * is localhost.
 */
export const isOutboxPageEnabled = (config: Config): boolean =>
  config.mail.smtpUrl === null && !config.isProduction && isLocal(config);

/**
 * Checks that a request comes directly from this machine. Tunnels and proxies could forward requests of other people.
 * The host name must match too, against DNS rebinding.
 * @throws ProblemError not-found
 */
function requireLoopback(request: FastifyRequest, { http }: Config): void {
  const isOurs = request.headers.host === new URL(http.publicUrl).host;
  if (!isLoopbackRequest(request) || !isOurs) throw new ProblemError('not-found');
}

/** Serves the mails of the outbox at `/dev/mail`. They contain valid links, so only this machine may read them. */
export function outboxRoutes(app: FastifyInstance, config: Config): void {
  if (!isOutboxPageEnabled(config)) return;
  app.get('/dev/mail', { schema: { hide: true } }, async (request, reply) => {
    requireLoopback(request, config);
    const mails = (await readOutbox(config.dataDir)).map(renderMail).join('\n');
    return reply
      .header('content-security-policy', `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'`)
      .type('text/html; charset=utf-8')
      .send(renderPage(mails || '<p>No mails yet. Sign up to get the first one.</p>'));
  });
}

const renderPage = (content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Outbox</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:720px;margin:0 auto;padding:24px}
details{border-top:1px solid #8888}summary{padding:16px 0;cursor:pointer}pre{white-space:pre-wrap;word-break:break-word;font:inherit}
iframe{box-sizing:border-box;display:block;width:100%;height:640px;border:1px solid #8888;resize:vertical}</style>
</head><body><h1>Outbox</h1>
${content}</body></html>`;

/** The HTML part is in a frame without scripts. Its links do not open there; those of the text do. */
function renderMail({ to, from, subject, date, text, html }: OutboxMessage): string {
  const linked = escapeHtml(text).replaceAll(/https?:\/\/[^\s<]+/gu, (url) => `<a href="${url}">${url}</a>`);
  return `<details><summary><strong>${escapeHtml(subject)}</strong> to ${escapeHtml(to)}, <time>${escapeHtml(date)}</time></summary>
<pre>from ${escapeHtml(from)}\n\n${linked}</pre>
<iframe sandbox loading="lazy" title="The mail as HTML" srcdoc="${escapeHtml(html)}"></iframe></details>`;
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Config, isLocal } from './config.ts';
import { escapeHtml } from './mail.ts';
import { type OutboxMessage, readOutbox } from './mailer.ts';
import { ProblemError } from './problem.ts';
import { isFromThisMachine } from './this-machine.ts';

/** Whether mails are shown at `/dev/mail`: only where no mail server is set, and nobody but this machine is served. */
export const showsOutbox = (config: Config): boolean =>
  config.mail.smtpUrl === null && !config.production && isLocal(config);

/**
 * A person at this machine, with nothing in between: a tunnel or a proxy in front would pass strangers on, and a page
 * under another name that leads here (DNS rebinding) must not read along.
 * @throws ProblemError not-found
 */
function requireThisMachine(request: FastifyRequest, { http }: Config): void {
  const isOurs = request.headers.host === new URL(http.publicUrl).host;
  if (!isFromThisMachine(request) || !isOurs) throw new ProblemError('not-found');
}

/** The mails that a trial on one's own machine has "sent". They hold live links, so they are never served to others. */
export function outboxRoutes(app: FastifyInstance, config: Config): void {
  if (!showsOutbox(config)) return;

  const options = {
    schema: { hide: true },
    onRequest: async (request: FastifyRequest) => requireThisMachine(request, config),
  };

  app.get('/dev/mail', options, async (_, reply) => {
    const messages = await readOutbox(config.dataDir);
    const rows = messages.map(
      ({ id, to, subject, date }) =>
        `<li><a href="/dev/mail/${id}"><strong>${escapeHtml(subject)}</strong><br>to ${escapeHtml(to)}, <time>${escapeHtml(date)}</time></a></li>`,
    );
    const list =
      rows.length > 0 ? `<ul>${rows.join('')}</ul>` : '<p>No mail yet. Sign up, and the first one appears here.</p>';
    return reply
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(page('Mails of this trial', list));
  });

  app.get<{ Params: { id: string } }>('/dev/mail/:id', options, async ({ params }, reply) => {
    const message = (await readOutbox(config.dataDir)).find(({ id }) => id === params.id);
    if (!message) throw new ProblemError('not-found');
    return reply
      .header('content-security-policy', policy)
      .type('text/html; charset=utf-8')
      .send(page(message.subject, view(message)));
  });
}

const policy = `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'`;

const page = (title: string, content: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:720px;margin:0 auto;padding:24px;color:#1c2434;background:#f4f6fb}ul{padding:0;list-style:none}
li a{display:block;padding:16px;margin:0 0 8px;background:#fff;border:1px solid #d9deea;border-radius:10px;color:inherit;text-decoration:none}
li a:hover,li a:focus{border-color:#1f3f9e}pre{white-space:pre-wrap;word-break:break-word;padding:24px;background:#fff;border:1px solid #d9deea;border-radius:10px;font:inherit}</style>
</head><body><h1>${escapeHtml(title)}</h1>${content}</body></html>`;

function view({ to, from, date, text }: OutboxMessage): string {
  const linked = escapeHtml(text).replaceAll(/https?:\/\/[^\s<]+/gu, (url) => `<a href="${url}">${url}</a>`);
  return `<p><a href="/dev/mail">All mails</a></p><p>from ${escapeHtml(from)}<br>to ${escapeHtml(to)}<br>${escapeHtml(date)}</p><pre>${linked}</pre>`;
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '#server/domain/context.ts';
import { createMailBranding } from '#server/domain/mail/mail-branding.ts';
import { unsubscribePath } from './mails.ts';
import { findUnsubscribing, unsubscribe } from './unsubscribe.ts';
import { type UnsubscribeState, createUnsubscribePages } from './unsubscribe-page.ts';

/** Maximum body size of a request to unsubscribe. The body of RFC 8058 is one short field, which is not read. */
const maxBodyBytes = 16_000;

/**
 * Adds the page to unsubscribe, and the request that mail programs send for one click (RFC 8058). The code in the URL
 * is the only credential: the request comes without cookies and from any site. Opening the page changes nothing,
 * because link scanners open it.
 */
export async function unsubscribeRoutes(app: FastifyInstance, context: Context): Promise<void> {
  const { db } = context;
  const pageFor = createUnsubscribePages(createMailBranding(context));
  const codeOf = ({ query }: FastifyRequest) => {
    const { code } = query as { code?: unknown };
    return typeof code === 'string' ? code : '';
  };
  const send = (reply: FastifyReply, state: UnsubscribeState) => {
    const { html, policy } = pageFor(state);
    return reply
      .code(state === 'invalid' ? 404 : 200)
      .headers({ 'cache-control': 'no-store', 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(html);
  };
  const options = { schema: { hide: true }, config: { acceptsAnyOrigin: true } } as const;

  app.get(unsubscribePath, options, async (request, reply) =>
    send(reply, (await findUnsubscribing(db, codeOf(request))) ? 'asking' : 'invalid'),
  );
  // Encapsulated: RFC 8058 allows two types of form, and some senders use others. The body is ignored.
  await app.register(async (forms) => {
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBodyBytes }, (_, __, done) => done(null));
    forms.post(unsubscribePath, options, async (request, reply) =>
      send(reply, (await unsubscribe(db, codeOf(request))) ? 'done' : 'invalid'),
    );
  });
}

import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { endpoints } from '#contract/endpoints.ts';
import {
  formPages,
  guestPageParams,
  guestPages,
  type InlineParts,
  type PageAssets,
  type PageFailure,
} from '#contract/page.ts';
import type { Rendered, RenderPage } from '#contract/page.ts';
import type { Problem } from '#contract/problem.ts';
import type { Context } from '#server/domain/context.ts';
import type { BrowsedItems } from '#server/domain/people/browsing-budgets.ts';
import { maxGuestPageBytes } from '#server/domain/people/guest-pages.ts';
import { readAs, submitAs } from './page-calls.ts';
import { createAddressQueue } from '#server/platform/limits/address-queue.ts';
import { compressText, type Encoding, pickEncoding } from '#server/platform/http/compression.ts';
import { problemFor } from '#server/platform/http/set-up-http.ts';
import { escapeHtml } from '#server/platform/mail/mail-html.ts';
import { ProblemError, pickRetrySeconds } from '#server/platform/http/problem.ts';

export interface Pages {
  readonly render: () => Promise<RenderPage>;
  readonly assets: () => PageAssets;
  readonly policy: Readonly<Record<'script' | 'style' | 'connect' | 'worker', string>>;
}

const maxFormBytes = 16_000;

/** More than the page `/confirm` accepts, so that it can say so beside the field. */
const maxDocumentFormBytes = 8_000_000;

const maxRendersPerAddress = 8;

const maxWaitingPerAddress = 16;

/**
 * Renders a page for every URL that is not an API call or a file. The page's loaders call the API in process with the
 * visitor's cookie: a page can never show more than the API returns, and a form without JavaScript can do no more than
 * the API allows.
 */
export async function pageRoutes(
  app: FastifyInstance,
  {
    config,
    institution,
    metrics,
    browsingLimiter,
    guestPageCache,
  }: Pick<Context, 'config' | 'institution' | 'metrics' | 'browsingLimiter' | 'guestPageCache'>,
  pages: Pages,
): Promise<void> {
  const { name, abbreviation, words } = institution;
  const { tokenSync, isProduction } = config;
  const { publicUrl } = config.http;
  const addressQueue = createAddressQueue(maxRendersPerAddress, maxWaitingPerAddress);
  const renders = metrics.histogram(
    'archive_page_render_seconds',
    'Drawing a page, its calls to the API included.',
    [],
  );
  const policySources = {
    ...pages.policy,
    connect: pages.policy.connect + (tokenSync ? ` ${tokenSync.origin}` : ''),
  };
  const errorHandler = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    sendErrorPage(describeError(request, error, isProduction), request, reply);
  const page = { schema: { hide: true }, config: { load: 'page' }, errorHandler } as const;
  app.route({ method: 'GET', url: '/*', ...page, handler: answer });
  for (const url of guestPages)
    app.route({ method: 'GET', url, ...page, config: { load: 'page', isGuestPage: true }, handler: answerGuest });
  // Encapsulated: only these routes parse forms, and they parse nothing else.
  await app.register(async (forms) => {
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: maxFormBytes },
      (_, body, done) => done(null, new URLSearchParams(String(body))),
    );
    for (const url of formPages.filter((one) => one !== '/confirm'))
      forms.route({ method: 'POST', url, ...page, handler: answer });
    await forms.register(async (documents) => {
      documents.addContentTypeParser(
        'multipart/form-data',
        { parseAs: 'buffer', bodyLimit: maxDocumentFormBytes },
        (request: FastifyRequest, body: Buffer) => parseMultipart(request, body),
      );
      // Checks the caller of a large body before the body is read.
      const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
        if (/^multipart\//iu.test(request.headers['content-type'] ?? ''))
          await app.authorize(endpoints['POST /api/membership/answers'], { request, reply }).catch((error: unknown) => {
            // Otherwise the server would read the rest of the body.
            reply.header('connection', 'close');
            throw error;
          });
      };
      documents.route({ method: 'POST', url: '/confirm', ...page, onRequest, handler: answer });
    });
  });

  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return send(reply, await render(request, reply));
  }

  /**
   * Answers a guest whose page is not cached. Concurrent requests share one page (decision 85). A request with
   * a cookie of ours gets its own page.
   */
  async function answerGuest(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const key = guestKeyOf(request);
    if (!key) return answer(request, reply);
    let own: { readonly rendered: Rendered; readonly browsed: BrowsedItems } | undefined;
    const page = await guestPageCache
      .getOrCreate(key.text, async () => {
        const [rendered, browsed] = await browsingLimiter.collect(request, () => render(request, reply));
        own = { rendered, browsed };
        if (rendered.kind === 'redirect' || rendered.status !== 200 || reply.hasHeader('set-cookie'))
          throw new Error('Only pages with status 200 that set no cookie are cached.');
        const body = compressText(rendered.html, key.encoding);
        if (body.length > maxGuestPageBytes) throw new Error('The page is too large for the cache.');
        const { 'x-request-id': _, ...common } = reply.getHeaders();
        const headers = {
          ...common,
          ...headersOf(rendered),
          'content-encoding': key.encoding,
          vary: 'accept-encoding',
          'content-length': body.length,
        };
        return { body, browsed, headers };
      })
      // A failure belongs to the request that caused it. Requests that waited for it get their own pages.
      .catch(() => own);
    if (!page || !(await isAllowed(browsingLimiter, page.browsed, request, reply))) return answer(request, reply);
    return 'body' in page ? reply.headers(page.headers).send(page.body) : send(reply, page.rendered);
  }

  function send(reply: FastifyReply, rendered: Rendered): FastifyReply {
    reply.header('cache-control', 'no-store');
    if (rendered.status === 503) reply.header('retry-after', pickRetrySeconds());
    if (rendered.kind === 'redirect') return reply.redirect(rendered.location, rendered.status);
    return reply.code(rendered.status).headers(headersOf(rendered)).send(rendered.html);
  }

  const headersOf = ({ inline }: Extract<Rendered, { kind: 'page' }>) => ({
    'cache-control': 'no-store',
    'content-security-policy': policyOf(inline, policySources),
    'content-type': 'text/html; charset=utf-8',
  });

  async function render(request: FastifyRequest, reply: FastifyReply): Promise<Rendered> {
    const address = URL.parse(withKnownParams(request), publicUrl);
    // Browsers read `//elsewhere/path` as a URL of another host.
    if (address?.origin !== publicUrl) throw new ProblemError('not-found');
    const isForm = request.method === 'POST';
    const renderPage = await pages.render();
    const drawn = renders.startTimer();
    return addressQueue(request.ip, () =>
      renderPage({
        request: new Request(address, {
          headers: { accept: 'text/html', cookie: request.headers.cookie ?? '' },
          ...(isForm && {
            method: 'POST',
            body: (request.body as URLSearchParams | FormData | undefined) ?? new URLSearchParams(),
          }),
        }),
        call: isForm ? submitAs(app, request, reply, publicUrl) : readAs(app, request, reply),
        assets: pages.assets(),
        institution: {
          name,
          abbreviation,
          ...(words && { words }),
          ...(!isProduction && { showsStackTraces: true }),
          ...(tokenSync && { tokenSync: tokenSync.address }),
          ...(config.campus && { hasCampusSignOn: true }),
        },
        reportError: (error) => describeError(request, error, isProduction),
      }),
    ).finally(drawn);
  }
}

/**
 * Answers guests from the cache, before the hooks that are added afterwards. These would take most of the time, and the
 * cached headers contain what they would add.
 */
export function serveGuestPages(
  app: FastifyInstance,
  { browsingLimiter, guestPageCache, shutdown }: Pick<Context, 'browsingLimiter' | 'guestPageCache' | 'shutdown'>,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    // During a shutdown, a later hook closes the connection.
    const isCacheable = request.routeOptions.config.isGuestPage && !shutdown.signal.aborted;
    const key = isCacheable ? guestKeyOf(request) : null;
    const page = key && guestPageCache.get(key.text);
    if (!page || !browsingLimiter.tryCountGuest(page.browsed, request)) return done();
    reply.hijack();
    reply.raw.writeHead(200, { ...page.headers, 'x-request-id': request.id });
    reply.raw.end(request.method === 'HEAD' ? undefined : page.body);
  });
}

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly isGuestPage?: boolean;
  }
}

function guestKeyOf(request: FastifyRequest): { readonly encoding: Encoding; readonly text: string } | null {
  const { headers } = request;
  const encoding = headers.cookie === undefined ? pickEncoding(headers) : null;
  return encoding && { encoding, text: `${encoding} ${withKnownParams(request)}` };
}

async function parseMultipart({ headers }: FastifyRequest, body: Buffer): Promise<FormData> {
  const form = new Response(new Uint8Array(body), { headers: { 'content-type': headers['content-type'] ?? '' } });
  return form.formData().catch((cause: unknown) => {
    throw new ProblemError('malformed-request', { cause });
  });
}

function withKnownParams({ url, routeOptions }: FastifyRequest): string {
  const known = guestPageParams[routeOptions.url as keyof typeof guestPageParams] as readonly string[] | undefined;
  const start = url.indexOf('?');
  if (start < 0 || !known) return url;
  const given = new URLSearchParams(url.slice(start + 1));
  const kept = new URLSearchParams(
    known.flatMap((name) => {
      const value = given.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
  return url.slice(0, start) + (kept.size > 0 ? `?${kept}` : '');
}

async function isAllowed(
  browsingLimiter: Context['browsingLimiter'],
  browsed: BrowsedItems,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  try {
    for (const [what, times] of browsed) await browsingLimiter.count(what, { request, reply }, times);
    return true;
  } catch {
    return false;
  }
}

/**
 * Logs a page error, and describes it for the error page. A failed API call of the page was already logged there under
 * the same request id. Message and stack of an unexpected error are left out in production (D18 in
 * docs/conformance.md).
 */
function describeError(request: FastifyRequest, error: unknown, isProduction: boolean): PageFailure {
  const { problem, cause } = error as { problem?: Problem; cause?: unknown };
  const { status, title, detail, reference } = problem ?? problemFor(error, request).body;
  if (reference === undefined) return { status, message: detail ?? title };
  const original = problem && cause instanceof Error ? cause : error;
  if (isProduction || !(original instanceof Error)) return { status, message: `${title} (reference ${reference})` };
  const { message, stack = '' } = original;
  return { status, message: `${message} (reference ${reference})`, stack };
}

/**
 * Returns a static error page for when the error page itself cannot be rendered, with the heading and message of the
 * specification (section 8).
 */
function sendErrorPage(
  { status, message, stack }: PageFailure,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (status === 503) reply.header('retry-after', pickRetrySeconds());
  const heading =
    status >= 500
      ? 'Unexpected Application Error!'
      : request.method === 'POST'
        ? 'This form was refused'
        : 'Page not found';
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<title>${heading}</title></head><body><h1>${heading}</h1><p>${escapeHtml(message)}</p>` +
        (stack === undefined ? '' : `<pre>${escapeHtml(stack)}</pre>`) +
        `<p><a href="/">Go to the dashboard</a></p></body></html>\n`,
    );
}

/**
 * Returns the Content Security Policy of a page. It allows inline scripts and styles by their hash instead of a nonce,
 * so that it is the same for every request, and a page can be cached.
 */
const policyOf = ({ scripts, styles }: InlineParts, { script, style, connect, worker }: Pages['policy']) =>
  [
    `default-src 'none'`,
    `script-src 'self'${scripts.map(hashSourceOf).join('')}${script}`,
    `style-src 'self'${styles.map(hashSourceOf).join('')}${style}`,
    `img-src 'self' data: blob:`,
    `connect-src 'self'${connect}`,
    `worker-src 'self'${worker}`,
    `font-src 'self'`,
    `media-src 'self'`,
    `manifest-src 'self'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors 'none'`,
    // Trusted Types: text never becomes markup or script, except what `allowMarkup` allows
    // (`web/platform/trusted-types.ts`).
    `require-trusted-types-for 'script'`,
    `trusted-types default`,
  ].join('; ');

const hashSources = new Map<string, string>();

function hashSourceOf(text: string): string {
  const source = hashSources.get(text) ?? ` 'sha256-${hash('sha256', text, 'base64')}'`;
  hashSources.set(text, source);
  return source;
}

import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '#server/platform/mail/mail-html.ts';
import type { Context } from '../context.ts';
import { type MailBranding, createMailBranding } from './mail-branding.ts';

type State = 'asking' | 'done' | 'invalid';

/** A link of a mail that opens a page with one button. */
export interface MailedLink {
  readonly path: string;
  readonly button: string;
  readonly texts: Record<'asking' | 'done', readonly [title: string, ...paragraphs: string[]]>;
  /** Below the text after the button was pressed. */
  readonly end?: { readonly label: string; readonly path: string };
  readonly isValid: (code: string) => Promise<boolean>;
  /** Works any number of times. @returns false for a code that is not valid */
  readonly apply: (code: string) => Promise<boolean>;
}

const invalid = [
  'This link does not work',
  'The link is incomplete, or what it was about was deleted. Open the link in the email again.',
] as const;

/** Maximum body size of a request to unsubscribe. The body of RFC 8058 is one short field, which is not read. */
const maxBodyBytes = 16_000;

export const mailedLinkOptions = { schema: { hide: true }, config: { acceptsAnyOrigin: true } } as const;

export function codeOf({ query }: FastifyRequest): string {
  const { code } = query as { code?: unknown };
  return typeof code === 'string' ? code : '';
}

/**
 * Adds the page of a mailed link, and its action, which mail programs can also send for one click (RFC 8058). The code
 * in the URL is the only credential: the request comes without cookies and from any site. Opening the page changes
 * nothing, because link scanners open it.
 */
export async function serveMailedLink(app: FastifyInstance, context: Context, link: MailedLink): Promise<void> {
  const render = createPages(createMailBranding(context), link);
  const send = (reply: FastifyReply, state: State | 'invalid') => {
    const { html, policy } = render(state);
    return reply
      .code(state === 'invalid' ? 404 : 200)
      .headers({ 'cache-control': 'no-store', 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
      .type('text/html; charset=utf-8')
      .send(html);
  };
  app.get(link.path, mailedLinkOptions, async (request, reply) =>
    send(reply, (await link.isValid(codeOf(request))) ? 'asking' : 'invalid'),
  );
  // Encapsulated: RFC 8058 allows two types of form, and some senders use others. The body is ignored.
  await app.register(async (forms) => {
    forms.removeAllContentTypeParsers();
    forms.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBodyBytes }, (_, __, done) => done(null));
    forms.post(link.path, mailedLinkOptions, async (request, reply) =>
      send(reply, (await link.apply(codeOf(request))) ? 'done' : 'invalid'),
    );
  });
}

/** The pages need no script, because people open them from an email in any program. */
function createPages(
  { publicUrl, institution, brand }: MailBranding,
  { button, texts, end: endLink }: MailedLink,
): (state: State) => { readonly html: string; readonly policy: string } {
  const paint = ({ page, card, ink, softInk, bar, onBar, accent, onAccent }: typeof brand.light) =>
    `body{background:${page};color:${ink}}main{background:${card}}header{background:${bar};color:${onBar}}` +
    `small{color:${softInk}}button{background:${accent};color:${onAccent}}a{color:${accent}}:focus-visible{outline:3px solid ${accent};outline-offset:2px}`;
  const style =
    ':root{color-scheme:light dark}body{margin:0;font:16px/1.5 system-ui,sans-serif}' +
    'header{padding:16px 24px;font-size:17px}header div{max-width:552px;margin:0 auto}header strong{font-size:22px;letter-spacing:1px}' +
    'main{max-width:600px;margin:0 auto;padding:32px 24px;box-sizing:border-box}' +
    'h1{margin:0 0 16px;font-size:24px;line-height:1.25}p{margin:0 0 16px}' +
    'button{min-height:44px;margin:8px 0 16px;padding:0 24px;border:0;border-radius:8px;font:inherit;font-weight:600;cursor:pointer}' +
    'small{font-size:14px}a{display:inline-block;padding:10px 0}' +
    `${paint(brand.light)}@media (prefers-color-scheme:dark){${paint(brand.dark)}}`;
  const policy = `default-src 'none';style-src 'sha256-${hash('sha256', style, 'base64')}';form-action 'self';base-uri 'none';frame-ancestors 'none'`;
  return (state) => {
    const [title, ...paragraphs] = { ...texts, invalid }[state];
    // The form has no action: it posts to its own URL, which contains the code.
    const end =
      state === 'asking'
        ? `<form method="post"><button>${button}</button></form>`
        : endLink
          ? `<p><a href="${escapeHtml(publicUrl)}${endLink.path}">${endLink.label}</a></p>`
          : '';
    return {
      policy,
      html:
        `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
        `<meta name="robots" content="noindex"><title>${title}</title><style>${style}</style></head><body>` +
        `<header><div><strong>${escapeHtml(brand.abbreviation)}</strong>&#160; alumni archive</div></header>` +
        `<main><h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}${end}` +
        `<small>${escapeHtml(institution)}</small></main></body></html>\n`,
    };
  };
}

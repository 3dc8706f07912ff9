import { hash } from 'node:crypto';
import type { MailBranding } from '#server/domain/mail/mail-branding.ts';
import { escapeHtml } from '#server/platform/mail/mail-html.ts';

export type UnsubscribeState = 'asking' | 'done' | 'invalid';

const contents: Record<UnsubscribeState, { readonly title: string; readonly paragraphs: readonly string[] }> = {
  asking: {
    title: 'Unsubscribe from announcements?',
    paragraphs: [
      'You will no longer get announcements from the alumni office by email.',
      'Emails about your account, and messages from members, are not affected.',
    ],
  },
  done: {
    title: 'You are unsubscribed',
    paragraphs: [
      'You will no longer get announcements from the alumni office. An announcement that is already on its way may still arrive.',
      'Emails about your account, and messages from members, are not affected. You can turn announcements on again under Privacy in the settings.',
    ],
  },
  invalid: {
    title: 'This link does not work',
    paragraphs: [
      'The link is incomplete, or its account was deleted. Open the link in the email again.',
      'You can also sign in and turn announcements off under Privacy in the settings.',
    ],
  },
};

interface Page {
  readonly html: string;
  readonly policy: string;
}

/** Needs no script, because people open the page from an email in any program. */
export function createUnsubscribePages({
  publicUrl,
  institution,
  brand,
}: MailBranding): (state: UnsubscribeState) => Page {
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
    const { title, paragraphs } = contents[state];
    // The form has no action: it posts to its own URL, which contains the code.
    const end =
      state === 'asking'
        ? '<form method="post"><button>Unsubscribe</button></form>'
        : `<p><a href="${escapeHtml(publicUrl)}/settings?section=privacy">Open the settings</a></p>`;
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

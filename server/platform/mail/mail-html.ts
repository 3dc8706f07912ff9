import { type Block, type Span, parseBlocks } from '#contract/light-format.ts';

interface MailLink {
  readonly label: string;
  readonly url: string;
}

/** Colours of a mail as `#rrggbb`. Each text colour is readable on its background. */
interface MailColors {
  readonly page: string;
  readonly card: string;
  readonly ink: string;
  readonly softInk: string;
  readonly line: string;
  readonly bar: string;
  readonly onBar: string;
  readonly accent: string;
  readonly onAccent: string;
  readonly gold: string;
}

/** The brand of a mail. All of it is text and colours, because a mail loads no files. */
export interface MailBrand {
  readonly abbreviation: string;
  readonly light: MailColors;
  readonly dark: MailColors;
}

export interface MailContent {
  readonly to: string;
  readonly subject: string;
  /** Preheader: the text after the subject in the list of a mailbox. Default: the first paragraph. */
  readonly preview?: string;
  readonly classYear?: number | undefined;
  readonly paragraphs: readonly string[];
  /** Whether people wrote the paragraphs: then their line breaks stay, and they have light formatting. */
  readonly isTyped?: boolean;
  /** Text by another user. Shown as a quotation, so that it cannot be mistaken for our text. */
  readonly quote?: string;
  readonly action?: MailLink;
  readonly footer: string;
  readonly links?: readonly MailLink[];
  readonly sender: string;
  readonly brand: MailBrand;
}

/**
 * Colours by class. Inline styles have the light ones, because many mail programs ignore style sheets. Text and
 * background are always set together, so that a program that inverts colours inverts both.
 */
const toRules = (colors: MailColors) => ({
  page: `background:${colors.page};color:${colors.ink}`,
  card: `background:${colors.card};color:${colors.ink}`,
  bar: `background:${colors.bar};color:${colors.onBar}`,
  soft: `color:${colors.softInk}`,
  line: `border-color:${colors.line}`,
  quote: `border-color:${colors.accent}`,
  gold: `border-color:${colors.gold}`,
  link: `color:${colors.accent}`,
  button: `background:${colors.accent};color:${colors.onAccent}`,
});

/** Invisible characters that keep a mailbox from filling the preview with the text after the preheader. */
const previewEnd = '&#847;&#8204;&#160;'.repeat(60);

const yearFont = `Rockwell,'Roboto Slab','Noto Serif',Georgia,serif`;

/** Returns the HTML of a mail. It loads no images or other files, so opening it cannot be tracked. */
export function renderMailHtml(content: MailContent): string {
  const {
    subject,
    preview,
    classYear,
    paragraphs,
    isTyped = false,
    quote,
    action,
    footer,
    links = [],
    sender,
    brand,
  } = content;
  const light = toRules(brand.light);
  type Rule = keyof typeof light;
  const dark = Object.entries(toRules(brand.dark)).map(
    ([name, rule]) => `.${name}{${rule.replaceAll(/(?=;|$)/gu, '!important')}}`,
  );
  const paint = (rules: Rule[], layout: string) =>
    `class="${rules.join(' ')}" style="${[layout, ...rules.map((rule) => light[rule])].join(';')}"`;
  const link = (url: string, text: string, layout = 'text-decoration:underline') =>
    `<a href="${escapeHtml(url)}" ${paint(['link'], layout)}>${escapeHtml(text)}</a>`;
  const typed = (spans: readonly Span[]) =>
    spans
      .map(({ text, isBold, url }) => {
        if (url !== undefined) return link(url, text);
        return isBold ? `<strong>${escapeHtml(text)}</strong>` : escapeHtml(text);
      })
      .join('');
  const block = ({ kind, lines }: Block) => {
    const items = lines.map(typed);
    if (kind === 'paragraph')
      return `<p dir="auto" style="margin:0 0 16px;overflow-wrap:anywhere">${items.join('<br>')}</p>`;
    const list = kind === 'bullets' ? 'ul' : 'ol';
    return `<${list} dir="auto" style="margin:0 0 16px;padding:0 24px;overflow-wrap:anywhere"><li>${items.join('</li><li>')}</li></${list}>`;
  };
  const parts = [
    classYear !== undefined &&
      `<p ${paint(['gold'], `display:inline-block;margin:0 0 24px;padding:0 0 8px;border-bottom:4px solid;font-family:${yearFont};font-weight:700`)}>Class of<br><span style="font-size:56px;line-height:1">${classYear}</span></p>`,
    `<h1 style="margin:0 0 16px;font-size:24px;line-height:1.25">${escapeHtml(subject)}</h1>`,
    ...paragraphs.flatMap((paragraph) =>
      isTyped ? parseBlocks(paragraph).map(block) : `<p style="margin:0 0 16px">${escapeHtml(paragraph)}</p>`,
    ),
    quote !== undefined &&
      `<blockquote dir="auto" ${paint(['quote'], 'margin:0 0 16px;padding:4px 16px;border-left:4px solid;overflow-wrap:anywhere')}>${escapeLines(quote)}</blockquote>`,
    action &&
      `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" ${paint(['button'], 'display:inline-block;padding:12px 24px;border-radius:8px;text-decoration:none;font-weight:600')}>${escapeHtml(action.label)}</a></p>
<p ${paint(['soft'], 'margin:0 0 16px;font-size:14px')}>If the button does not work, open this address:<br>${link(action.url, action.url, 'word-break:break-all')}</p>`,
    `<p ${paint(['soft', 'line'], 'margin:24px 0 0;padding-top:16px;border-top:1px solid;font-size:14px')}>${[
      escapeHtml(footer),
      ...links.map(({ label, url }) =>
        link(url, label, 'display:inline-block;padding:4px 0;text-decoration:underline'),
      ),
      escapeHtml(sender),
    ].join('<br>')}</p>`,
  ].filter((part) => typeof part === 'string');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(subject)}</title>
<style>:root{color-scheme:light dark;supported-color-schemes:light dark}@media (prefers-color-scheme:dark){${dark.join('')}}</style></head>
<body ${paint(['page'], 'margin:0;padding:0')}><div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview ?? paragraphs[0] ?? '')}${previewEnd}</div>
<div ${paint(['page'], 'padding:0 0 32px')}><div ${paint(['card'], 'max-width:600px;margin:0 auto;font:16px/1.5 system-ui,sans-serif')}>
<p ${paint(['bar'], 'margin:0;padding:16px 24px;font-size:17px')}><strong style="font-size:22px;letter-spacing:1px">${escapeHtml(brand.abbreviation)}</strong>&#160; alumni archive</p>
<div style="padding:32px 24px">
${parts.join('\n')}
</div></div></div></body></html>
`;
}

const escapeLines = (text: string): string => text.split('\n').map(escapeHtml).join('<br>');

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/gu, (character) => `&#${character.codePointAt(0)};`);

import type { MailBranding } from '#server/domain/mail/mail-branding.ts';
import { escapeHtml } from '#server/platform/mail/mail-html.ts';
import type { Message } from '#server/platform/mail/mail.ts';
import { composeSamples } from './mail-samples.ts';

export const renderMailSamples = (branding: MailBranding): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mail samples</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;padding:24px}
section{display:grid;grid-template-columns:repeat(auto-fit,minmax(340px,1fr));gap:16px;margin:0 0 48px}h2{grid-column:1/-1;margin:0}
pre{white-space:pre-wrap;word-break:break-word;margin:0}iframe{box-sizing:border-box;width:100%;height:640px;border:1px solid #8888}</style>
</head><body><h1>Mail samples</h1>
${composeSamples(branding).map(renderSample).join('\n')}
</body></html>`;

const renderSample = ({ subject, html, text }: Message): string => `<section><h2>${escapeHtml(subject)}</h2>
${renderFrame('light', html)}
${renderFrame('dark', html)}
<pre>${escapeHtml(text)}</pre></section>`;

/** Regardless of the browser's theme. */
function renderFrame(theme: 'light' | 'dark', html: string): string {
  const themed = html.replaceAll(
    '@media (prefers-color-scheme:dark)',
    theme === 'dark' ? '@media all' : '@media not all',
  );
  return `<iframe sandbox loading="lazy" title="${theme}" srcdoc="${escapeHtml(themed)}"></iframe>`;
}

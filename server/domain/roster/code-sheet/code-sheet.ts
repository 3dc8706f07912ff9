import { groupMembershipCode } from '../../membership/membership-codes.ts';
import type { Slip } from '../printed-codes.ts';
import { drawQrCode } from './qr-code.ts';

const slipsPerPage = 8;

interface Sheet {
  readonly institution: string;
  readonly publicUrl: string;
  readonly validUntil: Date;
}

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/**
 * Creates the sheet of slips as one HTML file without scripts and without other files, for A4 paper. Each page is
 * exactly one sheet, so that the slips are cut along the lines of the whole stack.
 */
export function createCodeSheet(slips: readonly Slip[], sheet: Sheet): string {
  const pages = Array.from({ length: Math.ceil(slips.length / slipsPerPage) }, (_, page) =>
    slips.slice(page * slipsPerPage, (page + 1) * slipsPerPage),
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="robots" content="noindex">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Codes for the clearance counter</title>
<style>${styles}</style>
</head>
<body>
<p class="hint">${slips.length} codes on ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}. Print on A4 paper at 100 %, then delete this file: each code confirms one person.</p>
${pages.map((page) => `<section>${page.map((slip) => formatSlip(slip, sheet)).join('\n')}</section>`).join('\n')}
</body>
</html>
`;
}

const dateFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

function formatSlip(
  { name, department, yearGraduated, code }: Slip,
  { institution, publicUrl, validUntil }: Sheet,
): string {
  // Without the scheme, which no one types.
  const host = publicUrl.replace(/^https?:\/\//u, '');
  return `<article>
<header>${escapeHtml(institution)} alumni archive</header>
<div><h2 dir="auto">${escapeHtml(name)}</h2><p class="studies" dir="auto">${escapeHtml(department ?? '')}</p><p>${yearGraduated === null ? '' : `Class of ${yearGraduated}`}</p></div>
${drawQrCode(`${publicUrl}/join/${code}`)}
<footer><p>Scan this, or type the code at<br><b>${escapeHtml(host)}/join</b></p><p class="code">${groupMembershipCode(code)}</p><p class="end">For this person only. Valid once, until ${dateFormat.format(validUntil)}.</p></footer>
</article>`;
}

/*
 * Lengths are absolute, so that every browser prints the same pages. The page has no margin, which also removes the
 * browser's own header and footer; the slips keep the content away from the edge that printers cannot reach. Long names
 * are cut after four lines.
 */
const styles = `
@page { size: A4 portrait; margin: 0 }
* { box-sizing: border-box; margin: 0; padding: 0 }
body { font: 9pt/1.3 system-ui, sans-serif; color: #000; background: #ddd }
.hint { width: 210mm; margin: 6mm auto; font-size: 11pt }
section { display: grid; grid-template: repeat(4, 74.25mm) / repeat(2, 105mm); width: 210mm; height: 297mm; margin: 0 auto 6mm; background: #fff; overflow: hidden }
article { display: grid; grid-template: auto 1fr auto / 1fr 34mm; gap: 1mm 4mm; padding: 7mm 8mm; overflow: hidden; border: 0 dashed #888 }
article:nth-child(odd) { border-right-width: .3mm }
article:nth-child(n + 3) { border-top-width: .3mm }
header { grid-column: 1 / 3; font-size: 8pt; color: #444; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
article > div { min-width: 0; overflow: hidden }
h2 { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 4; overflow: hidden; overflow-wrap: anywhere; font-size: 12pt; line-height: 1.2 }
.studies { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; overflow-wrap: anywhere; margin-top: 1.5mm }
svg { width: 34mm; height: 34mm; display: block }
footer { grid-column: 1 / 3; overflow-wrap: anywhere }
.code { font: bold 17pt/1.3 ui-monospace, "Liberation Mono", Consolas, monospace; letter-spacing: .5mm }
.end { font-size: 7.5pt; color: #444 }
@media print {
  body { background: none }
  .hint { display: none }
  section { margin: 0; break-after: page; break-inside: avoid }
  section:last-child { break-after: auto }
}
`;

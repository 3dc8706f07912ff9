import { oklchToHex } from '#contract/oklch.ts';
import { polyfillPopovers } from './popovers.ts';
import { allowMarkup } from './trusted-types.ts';

/**
 * Makes a server-rendered page work in a browser that is too old for hydration: shows the content of `<noscript>`, and
 * replaces OKLCH colours with hex (decision 90).
 */
export function degradeGracefully(): void {
  showNoscriptContent();
  void polyfillPopovers();
  replaceColors();
}

function showNoscriptContent(): void {
  const noscripts = [...document.querySelectorAll('noscript')];
  const markup = new Set(noscripts.map(({ textContent }) => textContent));
  allowMarkup((html) => markup.has(html));
  for (const element of noscripts) element.outerHTML = element.textContent;
}

function replaceColors(): void {
  const root = document.documentElement;
  const values = getComputedStyle(root);
  const css = [...document.querySelectorAll('style')].map(({ textContent }) => textContent).join('');
  for (const name of new Set(css.match(/--color-[\w-]+/gu))) {
    const color = toHex(values.getPropertyValue(name));
    if (color !== null) root.style.setProperty(name, color);
  }
}

/** @param value e.g. `oklch(36% calc(0.16 * 0.85) 262 / 0.7)` */
function toHex(value: string): string | null {
  const [, lightness, percent, chroma, hue, alpha] =
    /^\s*oklch\(([\d.]+)(%?) (calc\([\d.*\s]+\)|[\d.]+) ([\d.]+)(?:\s*\/\s*([\d.]+))?\)\s*$/u.exec(value) ?? [];
  if (chroma === undefined) return null;
  const product = (chroma.match(/[\d.]+/gu) ?? []).reduce((total, factor) => total * Number(factor), 1);
  const opaque = oklchToHex(Number(lightness) / (percent ? 100 : 1), product, Number(hue));
  if (alpha === undefined) return opaque;
  return (
    opaque +
    Math.round(Number(alpha) * 255)
      .toString(16)
      .padStart(2, '0')
  );
}

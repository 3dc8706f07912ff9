import { oklchToHex } from '#contract/oklch.ts';
import { providePopovers } from './popovers.ts';
import { allowMarkup } from './trusted-types.ts';

/**
 * Turns the page into the one for browsers without JavaScript, and replaces colours that old browsers do not know
 * (decision 90).
 */
export function showWithoutScripts(): void {
  showAlternatives();
  void providePopovers();
  replaceColors();
}

function showAlternatives(): void {
  const alternatives = [...document.querySelectorAll('noscript')];
  const markup = new Set(alternatives.map(({ textContent }) => textContent));
  allowMarkup((html) => markup.has(html));
  for (const element of alternatives) element.outerHTML = element.textContent;
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

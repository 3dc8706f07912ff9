import { describe, expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { createMailBranding } from './mail-branding.ts';

const brandingOf = (hue: number, chroma: number) =>
  createMailBranding({
    config: { http: { publicUrl: 'https://alumni.example' } },
    institution: { name: 'University', abbreviation: 'U', brand: { hue, chroma } },
  } as unknown as Context);

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

describe('createMailBranding', () => {
  const hues = Array.from({ length: 24 }, (_, step) => step * 15);

  test.each(['light', 'dark'] as const)('has readable %s colours for each hue of a brand', (theme) => {
    for (const hue of hues)
      for (const chroma of [0, 0.08, 0.16, 0.2]) {
        const { card, page, ink, softInk, bar, onBar, accent, onAccent, gold } = brandingOf(hue, chroma).brand[theme];
        for (const [text, background] of [
          [ink, card],
          [ink, page],
          [softInk, card],
          [accent, card],
          [onAccent, accent],
          [onBar, bar],
        ] as const)
          expect(contrastOf(text, background), `${text} on ${background}, hue ${hue}`).toBeGreaterThan(4.5);
        expect(contrastOf(gold, card), `the line below the year, hue ${hue}`).toBeGreaterThan(3);
      }
  });
});

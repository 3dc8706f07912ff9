import { describe, expect, test } from 'vitest';
import { oklchToHex } from './oklch.ts';

describe('oklchToHex', () => {
  // Values from CSS Color 4.
  test.each([
    ['white', [1, 0, 0], '#ffffff'],
    ['black', [0, 0, 0], '#000000'],
    ['red', [0.62796, 0.25768, 29.2339], '#ff0000'],
    ['lime', [0.86644, 0.29483, 142.4953], '#00ff00'],
    ['blue', [0.45201, 0.31321, 264.052], '#0000ff'],
  ] as const)('converts %s', (_, [lightness, chroma, hue], hex) => {
    expect(oklchToHex(lightness, chroma, hue)).toBe(hex);
  });

  test('clamps colours outside the sRGB gamut', () => {
    expect(oklchToHex(0.42, 0.25, 140)).toMatch(/^#[0-9a-f]{6}$/u);
  });
});

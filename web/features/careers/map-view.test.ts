import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitMap } from './map-view.ts';

const area = fc.record({
  id: fc.nat(),
  name: fc.constant('Lagos'),
  country: fc.constantFrom('NG', 'GH', 'KE'),
  x: fc.integer({ min: 0, max: 10_800 }).map((tenths) => tenths / 10),
  y: fc.integer({ min: 0, max: 4_400 }).map((tenths) => tenths / 10),
  people: fc.integer({ min: 1, max: 1_000_000 }),
});

describe('fitMap', () => {
  test('shows every place or its country, with the aspect ratio of the world map, and is never wider than it', () => {
    fc.assert(
      fc.property(fc.array(area, { minLength: 1, maxLength: 60 }), (areas) => {
        const { viewBox, circles } = fitMap(areas);
        const [left = 0, top = 0, width = 0, height = 0] = viewBox.split(' ').map(Number);
        expect(width / height).toBeCloseTo(1080 / 440, 1);
        expect(width).toBeLessThanOrEqual(1080);
        const places = circles.reduce((count, circle) => count + circle.places, 0);
        expect(places).toBe(areas.length);
        for (const { x, y } of circles) {
          expect(x).toBeGreaterThanOrEqual(left - 0.01);
          expect(x).toBeLessThanOrEqual(left + width + 0.01);
          expect(y).toBeGreaterThanOrEqual(top - 0.01);
          expect(y).toBeLessThanOrEqual(top + height + 0.01);
        }
      }),
    );
  });

  test('merges the places of a country that lie on one another, but not those of the only country', () => {
    const at = (id: number, country: string, x: number) => ({ id, name: 'Town', country, x, y: 200, people: id });
    const [one, other, far] = [at(1, 'NG', 500), at(3, 'NG', 501), at(5, 'KE', 800)];
    expect(fitMap([far, other, one]).circles).toMatchObject([
      { filter: { area: 5 }, places: 1 },
      { filter: { country: 'NG' }, name: 'Nigeria', people: 4, places: 2, x: 500.75 },
    ]);
    expect(fitMap([other, one]).circles.map(({ filter }) => filter)).toEqual([{ area: 3 }, { area: 1 }]);
  });

  test('enlarges the targets of places only up to the middle between two', () => {
    fc.assert(
      fc.property(fc.array(area, { minLength: 2, maxLength: 20 }), (areas) => {
        const { circles } = fitMap(areas);
        for (const one of circles)
          for (const other of circles.filter((circle) => circle !== one && circle.targetRadius > circle.radius)) {
            const distance = Math.hypot(one.x - other.x, one.y - other.y);
            expect(other.targetRadius).toBeLessThanOrEqual(distance / 2 + 0.01);
          }
      }),
    );
  });
});

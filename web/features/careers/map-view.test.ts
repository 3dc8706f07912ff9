import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fitMap } from './map-view.ts';

const area = fc.record({
  id: fc.nat(),
  name: fc.constant('Lagos'),
  country: fc.constant('NG'),
  x: fc.integer({ min: 0, max: 10_800 }).map((tenths) => tenths / 10),
  y: fc.integer({ min: 0, max: 4_400 }).map((tenths) => tenths / 10),
  people: fc.integer({ min: 1, max: 1_000_000 }),
});

describe('fitMap', () => {
  test('shows every place, with the aspect ratio of the world map, and is never wider than it', () => {
    fc.assert(
      fc.property(fc.array(area, { minLength: 1, maxLength: 60 }), (areas) => {
        const { viewBox } = fitMap(areas);
        const [left = 0, top = 0, width = 0, height = 0] = viewBox.split(' ').map(Number);
        expect(width / height).toBeCloseTo(1080 / 440, 1);
        expect(width).toBeLessThanOrEqual(1080);
        for (const { x, y } of areas) {
          expect(x).toBeGreaterThanOrEqual(left - 0.01);
          expect(x).toBeLessThanOrEqual(left + width + 0.01);
          expect(y).toBeGreaterThanOrEqual(top - 0.01);
          expect(y).toBeLessThanOrEqual(top + height + 0.01);
        }
      }),
    );
  });

  test('enlarges the targets of places only up to the middle between two', () => {
    fc.assert(
      fc.property(fc.array(area, { minLength: 2, maxLength: 20 }), (areas) => {
        const { circles } = fitMap(areas);
        for (const one of circles)
          for (const other of circles.filter((circle) => circle !== one && circle.targetRadius > circle.radius)) {
            const distance = Math.hypot(one.area.x - other.area.x, one.area.y - other.area.y);
            expect(other.targetRadius).toBeLessThanOrEqual(distance / 2 + 0.01);
          }
      }),
    );
  });
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';
import type axe from 'axe-core';

declare global {
  interface Window {
    axe: typeof axe;
  }
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const axeTags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Asserts that axe finds no violation of WCAG 2.2 AA or of its best practices on the page.
 * @param rule the only rule to check, which takes a fraction of the time
 */
export async function expectAccessible(page: Page, rule?: 'color-contrast'): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: 'Loading...' })).toHaveCount(0);
  // Colours are final only after animations. Spinners and the progress bars of toasts run longer and are skipped.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => Number(animation.effect?.getComputedTiming().endTime) <= 1_000)
        // Animations in closed `details` do not run.
        .filter(({ effect }) => (effect as KeyframeEffect).target?.checkVisibility())
        .map((animation) => animation.finished.catch(() => null)),
    ),
  );
  const { violations, incomplete } = await runAxe(page, {
    runOnly: rule ? { type: 'rule', values: [rule] } : { type: 'tag', values: axeTags },
    // The lists of passed rules would be 500 KB per page.
    resultTypes: ['violations', 'incomplete'],
  });
  // Axe leaves text in the exact colour of its background undecided. The bars of the class years show theirs when used.
  const invisible = incomplete
    .map(({ nodes, ...check }) => ({
      ...check,
      nodes: nodes.filter(
        ({ any, html }) =>
          !/^<button [^>]*name="year"/u.test(html) &&
          any.some(({ data }) => (data as { messageKey?: string } | null)?.messageKey === 'equalRatio'),
      ),
    }))
    .filter(({ nodes }) => nodes.length > 0);
  const found = [...violations, ...invisible].map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(' ')).join(', ')})`,
  );
  expect(found).toEqual([]);
}

/** Loads axe once per document. `AxeBuilder` would do it twice for each scan, which takes as long as the scan. */
async function runAxe(page: Page, options: axe.RunOptions): Promise<Pick<axe.AxeResults, 'violations' | 'incomplete'>> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  return page.evaluate(async (chosen) => {
    const { violations, incomplete } = await window.axe.run(document, chosen);
    return { violations, incomplete };
  }, options);
}

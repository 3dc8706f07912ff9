import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

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
  const axe = new AxeBuilder({ page })
    // The pages have no frames. Without legacy mode, axe opens another page for each scan and takes three times as
    // long.
    .setLegacyMode()
    // The lists of passed rules would be 500 KB per page.
    .options({ resultTypes: ['violations', 'incomplete'] });
  const rules = rule
    ? axe.withRules(rule)
    : axe.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
  const { violations, incomplete } = await rules.analyze();
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

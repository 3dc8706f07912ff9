import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** Checks the page against everything that a machine can find of WCAG 2.2 AA, and axe's best practices. */
export async function expectAccessible(page: Page): Promise<void> {
  await expect(page.getByRole('status').filter({ hasText: 'Loading...' })).toHaveCount(0);
  // Colours are only final once animations have ended. Spinners and the time bars of toasts are not waited for.
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((animation) => Number(animation.effect?.getComputedTiming().endTime) <= 1_000)
        .map((animation) => animation.finished.catch(() => null)),
    ),
  );
  const { violations } = await new AxeBuilder({ page })
    // Our pages have no frames: without this, axe opens a further page for each scan and takes three times as long.
    .setLegacyMode()
    // The lists of what passes are half a megabyte a page.
    .options({ resultTypes: ['violations'] })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  const found = violations.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target.join(' ')).join(', ')})`,
  );
  expect(found).toEqual([]);
}

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, TestInfo } from '@playwright/test';
import sharp from 'sharp';
import { paintPortrait } from '#server/seed/portrait.ts';
import { createRandom } from '#server/seed/random.ts';
import { waitForHydration } from './fixtures.ts';

/*
 * Takes the screenshots of the README (`npm run pictures`). With `PICTURES=FOLDER` it writes screenshots of all pages,
 * at four sizes and in both themes, to that folder instead.
 */

const elsewhere = process.env['PICTURES'];
const folder = elsewhere ?? join(import.meta.dirname, '..', 'docs', 'images');

/** Without `forReadme`, only if `PICTURES` is set. */
export type Take = (
  name: string,
  options?: { forReadme?: boolean; animations?: 'disabled' | 'allow' },
) => Promise<void>;

/** Takes pictures named after the project, such as `home-phone.png`. Those of the dark theme begin with `dark-`. */
export const takeOn =
  (page: Page, { project }: TestInfo): Take =>
  async (name, { forReadme = false, animations = 'disabled' } = {}) => {
    if (!elsewhere && !forReadme) return;
    // The network never becomes idle, because a member's page has an open event stream.
    await page.waitForLoadState('load');
    // Pictures below the viewport load after hydration, and those at its edge are not complete before.
    await waitForHydration(page);
    await page.waitForFunction(() =>
      [...document.images].every((image) => {
        const { top, bottom } = image.getBoundingClientRect();
        return bottom <= 0 || top >= innerHeight || image.complete;
      }),
    );
    await page.waitForFunction(() => !document.body.innerText.includes('Loading...'));
    const save = async (prefix: string) =>
      sharp(await page.screenshot({ scale: 'css', animations }))
        .png(elsewhere ? {} : { palette: true, dither: 0, effort: 8 })
        .toFile(join(folder, `${prefix}${name}-${project.name}.png`));
    await save('');
    if (!elsewhere) return;
    await page.emulateMedia({ colorScheme: 'dark' });
    await save('dark-');
    await page.emulateMedia({ colorScheme: 'light' });
  };

mkdirSync(folder, { recursive: true });

export async function paintPicture(seed: number): Promise<string> {
  const portrait = await paintPortrait(createRandom(seed), 'female');
  return `data:image/png;base64,${portrait.toString('base64')}`;
}

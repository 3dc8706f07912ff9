import type { Page } from '@playwright/test';
import { createMember, expect, getCurrentUser, holdRequests, openOtherBrowser, send, test } from './fixtures.ts';

/* What a profile shows and how. Who sees which field is tested in `privacy.spec.ts` and `directory.spec.ts`. */

const faces = (page: Page) => page.getByRole('region', { name: 'Also in the class of' });

test(
  'a profile has all academic facts in one list, for its owner, members and guests',
  { tag: ['@spec-2.52', '@spec-2.54'] },
  async ({ page, server }) => {
    await createMember(page, server);
    const { uid } = await getCurrentUser(page);
    const guest = await openOtherBrowser(page, server);
    const member = await openOtherBrowser(page, server);
    await createMember(member.page, server);
    const everything = ['About', 'Academic', 'Personal', 'Contact', 'Social'];
    const [college, years] = ['CollegeCOSIT', 'Year admitted2011Year graduated2015'];
    for (const [visitor, path, sections, shownCollege, end] of [
      [page, '/myprofile', everything, college, 'Matric number20110294001X'],
      [page, `/user/${uid}`, everything, college, 'Matric number20110294001X'],
      [member.page, `/user/${uid}`, everything, college, 'Matric number20110294001X'],
      [guest.page, `/user/${uid}`, ['About', 'Academic'], '', ''],
    ] as const) {
      await visitor.goto(path);
      await expect(visitor.getByRole('link', { name: 'Class of 2015' })).toHaveAttribute(
        'href',
        '/class/Computer%20Science/2015',
      );
      const headings = visitor.getByRole('article').getByRole('heading', { level: 2 });
      await expect(headings.filter({ hasNotText: 'Also in the class of' })).toHaveText(sections);
      const academic = visitor.locator('section', { has: visitor.getByRole('heading', { name: 'Academic' }) });
      const rows = (await academic.locator('dl').innerText()).replaceAll(/\s|·|Only members|Members only/gu, '');
      expect(rows).toBe(`DepartmentComputer ScienceProgramB.Sc${shownCollege}${years}${end}`.replaceAll(/\s/gu, ''));
      // Other facts about the studies are only the heading's class and department.
      expect((await visitor.getByRole('article').innerText()).split('B.Sc')).toHaveLength(2);
    }
    await guest.context.close();
    await member.context.close();
  },
);

test('the band is gold for one’s own class only', { tag: '@desk' }, async ({ page, server }) => {
  const classmate = await createMember(page, server);
  const other = await createMember(page, server, { yearGraduated: 2016 });
  await createMember(page, server);
  const bandColour = async (path: string) => {
    await page.goto(path);
    const band = page.getByRole('article').locator('header > div').first();
    return band.evaluate((element) => getComputedStyle(element).backgroundColor);
  };
  const own = await bandColour('/myprofile');
  expect(await bandColour(`/user/${classmate.uid}`)).toBe(own);
  expect(await bandColour(`/user/${other.uid}`)).not.toBe(own);
});

test('people of the same class load when the end of a profile is in view, and a failure shows nothing', async ({
  page,
  server,
}) => {
  const classYear = { department: 'Faces Studies', yearGraduated: 2019 };
  const { name, uid } = await createMember(page, server, classYear);
  const own = await createMember(page, server, classYear);
  const lists: string[] = [];
  page.on('request', (request) => request.url().includes('/api/users?') && lists.push(request.url()));
  const release = await holdRequests(page, '**/api/users?*');
  await page.goto('/myprofile');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Abíọ́dún');
  expect(lists).toEqual([]);
  const end = page.getByRole('heading', { name: 'Social' });
  await end.scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 2000);
  await expect.poll(() => lists.length).toBe(1);
  await expect(faces(page).getByText('Loading...')).toBeVisible();
  release();
  const shortName = name.replace(/ .* /u, ' ');
  await expect(faces(page).getByRole('link', { name: shortName })).toHaveAttribute('href', `/user/${uid}`);
  await expect(faces(page).locator(`a[href="/user/${own.uid}"]`)).toHaveCount(0);
  await expect(faces(page).getByRole('link', { name: 'See the whole class' })).toHaveAttribute(
    'href',
    '/class/Faces%20Studies/2019',
  );

  await page.unroute('**/api/users?*');
  await page.route('**/api/users?*', (route) => route.abort());
  // The browser may restore the scroll position, so that the request fails during the reload.
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/users?'));
  await page.reload();
  await page.mouse.wheel(0, 2000);
  await failed;
  await expect(end).toBeVisible();
  await expect(page.getByText('ERROR')).toHaveCount(0);
  await expect(faces(page)).toHaveCount(0);
});

test('owners see how complete their profile is, and “I have none” counts as complete', async ({ page, server }) => {
  await createMember(page, server, { middleName: '-', xHandle: '-', facebookName: '-', bio: '-' });
  await page.goto('/myprofile');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/Ọládélé Abíọ́dún/u);
  await expect(page.getByText('86% complete.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Add a short bio' })).toHaveAttribute(
    'href',
    '/settings?section=information',
  );
  await expect(page.getByRole('article')).not.toContainText('Facebook');
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await expect(page.getByText('This is exactly what they see.')).toBeVisible();
  await expect(page.getByText('% complete')).toHaveCount(0);
});

test('names of 20 letters do not break inside', async ({ page, server }) => {
  const names = { firstName: 'Oluwafunmilayomide', middleName: 'Chukwuemekaonyebuchi', lastName: 'Ògúndéléadébáyọ̀' };
  await createMember(page, server, names);
  await page.goto('/myprofile');
  const lines = await page.getByRole('heading', { level: 1 }).evaluate((heading, words) => {
    const text = [...heading.childNodes].find((node) => node.textContent?.includes(words[0] ?? ''));
    return words.map((word) => {
      const range = document.createRange();
      const start = text?.textContent?.indexOf(word) ?? -1;
      range.setStart(text as Text, start);
      range.setEnd(text as Text, start + word.length);
      return range.getClientRects().length;
    });
  }, Object.values(names));
  expect(lines).toEqual([1, 1, 1]);
});

test('owners read in one sentence who sees their page, and notes mark only what differs', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  await page.goto('/myprofile');
  await expect(page.getByText('Marked details are hidden from guests.')).toBeVisible();
  // A complete profile has no ring.
  await expect(page.getByText('complete')).toHaveCount(0);
  const contact = page.locator('section', { has: page.getByRole('heading', { name: 'Contact' }) });
  await expect(contact.getByText('Members only')).toHaveCount(1);
  await send(page, 'PUT', `/api/users/${uid}/privacy`, { visibility: { homeAddress: 'me' }, version: 'any' });
  await page.reload();
  await expect(contact.locator('dl > div').filter({ hasText: 'Home address' }).getByText('Only you')).toBeVisible();
  await send(page, 'PUT', `/api/users/${uid}/privacy`, { visibility: { name: 'members' }, version: 'any' });
  await page.reload();
  await expect(page.getByText('Only members see this page.')).toBeVisible();
  await send(page, 'PUT', `/api/users/${uid}/privacy`, { isHidden: true, version: 'any' });
  await page.reload();
  await expect(page.getByText('Only you see this page.')).toBeVisible();
});

test('a profile prints on one page', { tag: ['@desk', '@release'] }, async ({ page, server }) => {
  await createMember(page, server, { fullBio: 'Ọlá '.repeat(100).trim(), homeAddress: 'Street\n'.repeat(6).trim() });
  await page.goto('/myprofile');
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  expect(pdf.match(/\/Type\s*\/Page\b/gu)).toHaveLength(1);
});

import type { Page } from '@playwright/test';
import { suggestCities } from '#server/domain/careers/places.ts';
import { expectAccessible } from './expect-accessible.ts';
import { createMember, createName, expect, holdRequests, send, test, type TestServer } from './fixtures.ts';

interface Work {
  readonly role?: string;
  readonly employer?: string;
  readonly city: string;
  readonly country: string;
  readonly lastName?: string;
  readonly department?: string;
}

/** No digits, and of one length, so that no name begins another one. */
const createLastName = () =>
  createName('Alum')
    .replace(' ', '')
    .replaceAll(/\d/gu, (digit) => 'ghijklmnop'[Number(digit)] ?? '');

/** Signs a new member in who shows work and place to members. */
async function createWorker(
  page: Page,
  server: TestServer,
  { role = '', employer = '', city, country, ...more }: Work,
) {
  await page.context().clearCookies();
  const member = await createMember(page, server, { lastName: createLastName(), ...more });
  await send(page, 'PUT', `/api/users/${member.uid}/career`, {
    positions: role || employer ? [{ role, employer, field: 'finance', from: null, to: null }] : [],
    city,
    cityId: suggestCities(city, country)[0]?.id ?? null,
    country,
    helps: [],
    version: 'any',
  });
  return member;
}

const byCity = (name: string) => new RegExp(`^${name}, 1 person$`, 'u');

test('a place on the map and in the list leads to its people, with the keyboard alone', async ({ page, server }) => {
  const department = createName('Department');
  const { name } = await createWorker(page, server, { role: 'Taster', city: 'Accra', country: 'GH', department });
  await createWorker(page, server, { city: 'Nairobi', country: 'KE', department });
  await page.goto(`/careers?${new URLSearchParams({ department })}`);
  const map = page.getByRole('group', { name: 'Map of the places in the list' });
  const places = page.getByRole('region', { name: 'Places' });
  for (const city of ['Accra', 'Nairobi']) {
    await expect(map.getByRole('link', { name: byCity(city) })).toHaveCount(1);
    await expect(places.getByRole('link', { name: city })).toBeVisible();
  }
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, 'color-contrast');
  await map.getByRole('link', { name: byCity('Accra') }).focus();
  await page.keyboard.press('Enter');
  const people = page.getByRole('region', { name: 'People' });
  await expect(people.getByRole('status')).toHaveText('1 person');
  await expect(people.getByRole('link', { name })).toContainText('Taster');
  await expect(people.getByRole('link', { name })).toContainText('Accra, Ghana');
  await expect(places.getByRole('link', { name: 'Accra' })).toHaveAttribute('aria-current', 'true');
  await people.getByRole('link', { name: 'Remove the filter Accra' }).click();
  await expect(people.getByRole('status')).toHaveText('2 people');
});

test('places of a country that lie on one another are one circle, which leads to them', async ({ page, server }) => {
  const department = createName('Department');
  for (const [city, country] of [
    ['Nairobi', 'KE'],
    ['Koforidua', 'GH'],
    ['Accra', 'GH'],
  ] as const)
    await createWorker(page, server, { city, country, department });
  await page.goto(`/careers?${new URLSearchParams({ department })}`);
  const map = page.getByRole('group', { name: 'Map of the places in the list' });
  await expect(map.getByRole('link')).toHaveCount(2);
  await map.getByRole('link', { name: 'Ghana, 2 people in 2 places' }).click();
  await expect(page.getByRole('region', { name: 'People' }).getByRole('status')).toHaveText('2 people');
  for (const city of ['Accra', 'Koforidua']) await expect(map.getByRole('link', { name: byCity(city) })).toHaveCount(1);
  await expect(map.getByRole('link')).toHaveCount(2);
  await page.getByRole('link', { name: 'Clear all' }).click();
  await expect(page).toHaveURL('/careers');
});

test('bars are as long as their number of people, and the scopes are those of the dashboard', async ({
  page,
  server,
}) => {
  const department = createName('Department');
  const cities = [...Array.from({ length: 4 }, () => ['Accra', 'GH'] as const), ['Nairobi', 'KE'] as const];
  for (const [city, country] of cities) await createWorker(page, server, { city, country, department });
  await page.goto('/');
  const scopes = page.getByRole('navigation', { name: 'People shown' });
  const labels = await scopes.getByRole('link').allTextContents();
  expect(labels).toEqual(['My class 2015', 'My department', 'Everyone']);
  const dashboardBox = await scopes.boundingBox();
  await page.goto(`/careers?${new URLSearchParams({ department })}`);
  expect(await scopes.getByRole('link').allTextContents()).toEqual(labels);
  expect((await scopes.boundingBox())?.width).toBe(dashboardBox?.width);
  const bars = page.getByRole('region', { name: 'Places' }).locator('svg path');
  const [first, second] = await Promise.all([0, 1].map((at) => bars.nth(at).boundingBox()));
  expect((second?.width ?? 0) / (first?.width ?? 1)).toBeCloseTo(0.25, 1);
});

test('applying the filters closes them and moves the focus to their button', async ({ page, server }) => {
  const department = createName('Department');
  const { name } = await createWorker(page, server, { city: 'Accra', country: 'GH', department });
  await createWorker(page, server, { city: 'Nairobi', country: 'KE', department });
  await page.goto(`/careers?${new URLSearchParams({ department })}`);
  const button = page.locator('summary').getByText('Filters');
  await button.click();
  const city = page.getByRole('combobox', { name: 'City' });
  await city.selectOption('Accra');
  await page.getByRole('button', { name: 'Show people' }).press('Enter');
  const people = page.getByRole('region', { name: 'People' });
  await expect(people.getByRole('status')).toHaveText('1 person');
  await expect(people.getByRole('link', { name })).toBeVisible();
  await expect(city).toBeHidden();
  await expect(button).toBeFocused();
  await button.press('Enter');
  await expect(city).toBeVisible();
  await expect(city.locator('option:checked')).toHaveText('Accra');
});

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('the filters find people by employer and name, and the pages of the list follow each other', async ({
    page,
    server,
  }) => {
    const employer = createName('Cocoa Works');
    const work = { role: 'Taster', employer, city: 'Kumasi', country: 'GH' };
    const { name } = await createWorker(page, server, work);
    await createWorker(page, server, work);
    await page.goto('/careers');
    await page.locator('summary').getByText('Filters').click();
    const form = page.locator('form[action="/careers#people"]:visible');
    await form.getByLabel('Employer').selectOption(employer);
    await form.getByLabel('Name begins with').fill(name.split(' ').at(-1) ?? '');
    await form.getByRole('button', { name: 'Show people' }).click();
    const people = page.getByRole('region', { name: 'People' });
    await expect(people.getByRole('status')).toHaveText('1 person');
    await expect(people.getByRole('link', { name })).toContainText(`Taster, ${employer}`);

    await server.query(`update listings set country = 'GH' where audience = 'members' and country is null`);
    await page.goto('/careers?country=GH');
    await people.getByRole('link', { name: 'Next page' }).click();
    await expect(people.getByRole('status')).toHaveText('More people');
    await people.getByRole('link', { name: 'First page' }).click();
    await expect(people.getByRole('status')).toHaveText(/^\d+ people$/u);
    await server.query(`update listings set country = null where country = 'GH' and area_id is null`);
    await page
      .getByRole('navigation', { name: 'People willing to help with' })
      .getByRole('link', { name: 'Internships' })
      .click();
    await expect(page).toHaveURL('/careers?help=internship#people');
    await expect(page.getByRole('list', { name: 'Active filters' })).toHaveText(/Internships/u);
  });

  test('the search finds employers', async ({ page, server }) => {
    const employer = createName('Baobab Works');
    await createWorker(page, server, { employer, city: 'Lomé', country: 'TG' });
    await page.goto(`/search?q=${employer}`);
    const section = page.getByRole('region', { name: 'Employers and places' });
    await expect(section.getByRole('link', { name: `${employer} 1 person` })).toBeVisible();
  });
});

test('guests see the places of at least five people, and how to become a member', async ({ page, server }) => {
  const { uid } = await createWorker(page, server, { role: 'Taster', city: 'Tamale', country: 'GH' });
  await page.context().clearCookies();
  await server.query(
    `insert into career_counts values ('everyone', 'area', $1, 5), ('everyone', 'country', 'GH', 5)`,
    String(suggestCities('Tamale', 'GH')[0]?.id),
  );
  await page.goto('/careers');
  await expect(page.getByRole('img', { name: 'Map of the places in the list' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Places' })).toContainText('Tamale Ghana 5');
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign up' })).toHaveAttribute('href', '/signup');
  await expect(page.locator(`a[href="/user/${uid}"]`)).toHaveCount(0);
  await expectAccessible(page);
  await server.query(`delete from career_counts where audience = 'everyone'`);
});

test('the page of a class leads to where its people are', async ({ page, server }) => {
  const { uid } = await createMember(page, server, { department: 'Oceanography' });
  await page.goto('/class/Oceanography/2015');
  const link = page.getByRole('main').getByRole('link', { name: 'Where are they now?' });
  await link.click();
  await expect(page.getByText('No one has added a place yet')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Add where you are' })).toHaveAttribute(
    'href',
    '/settings?section=career',
  );
  await server.query(`update listings set country = 'GH' where account_id = $1 and audience = 'members'`, uid);
  await page.goto('/class/Oceanography/2015');
  await link.click();
  await expect(page).toHaveURL('/careers?department=Oceanography&graduatedFrom=2015&graduatedTo=2015');
  await expect(page.getByRole('region', { name: 'People' }).getByRole('status')).toHaveText('1 person');
  await expect(page.getByRole('link', { name: 'My class' })).toHaveAttribute('aria-current', 'page');
});

test('the search finds an employer with its people, and a place below the names', async ({ page, server }) => {
  const employer = createName('Baobab Works');
  const { name } = await createWorker(page, server, { role: 'Taster', employer, city: 'Sunyani', country: 'GH' });
  const section = page.getByRole('region', { name: 'Employers and places' });
  await page.goto(`/search?q=${employer}`);
  await expect(page.getByText(`No names match “${employer}”`)).toBeVisible();
  await expect(section.getByRole('link', { name })).toContainText(`Taster, ${employer}`);
  await expectAccessible(page);
  await section.getByRole('link', { name: `${employer} 1 person` }).click();
  await expect(page.getByRole('link', { name: `Remove the filter ${employer}` })).toBeVisible();
  await expect(page.getByRole('region', { name: 'People' }).getByRole('status')).toHaveText('1 person');

  await createWorker(page, server, { city: 'Sunyani', country: 'GH', lastName: 'Sunyani' });
  await page.goto('/search?q=sunyani');
  await expect(section.getByRole('link', { name: 'Sunyani, Ghana 2 people' })).toBeVisible();
  const first = page.getByRole('main').locator('a[href^="/user/"], section').first();
  await expect(first).toHaveAttribute('href', /^\/user\//u);
  await page.goto('/search');
  await expect(page.getByText(/matric number, employer or city above/u)).toBeVisible();
  await page.goto('/search?q=nosuchinternship');
  await page.getByRole('link', { name: 'By work, city or help' }).click();
  await expect(page).toHaveURL('/careers');
  await page.context().clearCookies();
  await page.goto('/search?q=sunyani');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(section).toHaveCount(0);
});

test('an employer with the searched name appears while the user types, and moves no person', async ({
  page,
  server,
}) => {
  const employer = createLastName();
  const { name } = await createWorker(page, server, { employer, city: 'Lomé', country: 'TG', lastName: employer });
  await page.goto('/search');
  const release = await holdRequests(page, '**/api/search/careers*');
  await page.getByRole('searchbox', { name: 'Search' }).pressSequentially(employer);
  const person = page.getByRole('main').getByRole('link', { name }).first();
  await expect(person).toBeVisible();
  await expect(page.getByRole('main').getByRole('status')).toHaveText(`1 person for “${employer}”`);
  const before = await person.boundingBox();
  release();
  await expect(page.getByRole('region', { name: 'Employers and places' })).toBeVisible();
  const link = page.getByRole('main').getByRole('link', { name: `1 person at ${employer}` });
  await expect(link).toBeInViewport();
  expect(await person.boundingBox()).toEqual(before);
  await expectAccessible(page);
  await link.click();
  await expect(page.getByRole('region', { name: 'People' }).getByRole('status')).toHaveText('1 person');
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import type { OwnCareer } from '#contract/careers.ts';
import { readInstitution } from '#server/domain/read-institution.ts';
import { expectAccessible } from './expect-accessible.ts';
import {
  createMember,
  createName,
  expect,
  openOtherBrowser,
  send,
  test,
  type TestServer,
  toast,
  waitForHydration,
} from './fixtures.ts';

/* Where people say what they do now, and where others see it. */

const settings = '/settings?section=career';
const lagos = 2_332_459;
const empty = { positions: [], city: '', cityId: null, country: '', helps: [], version: 'any' };
const position = { role: 'Engineer', employer: 'Shell', field: 'energy', from: 2021, to: null };

const saveCareer = (page: Page, uid: string, answers: object) =>
  send(page, 'PUT', `/api/users/${uid}/career`, { ...empty, ...answers });
const readCareer = async (page: Page, uid: string) =>
  (await (await page.request.get(`/api/users/${uid}/career`)).json()) as OwnCareer;
const card = (page: Page) => page.getByRole('region', { name: 'Where are you now?' });
const section = (page: Page) => page.locator('article section', { has: page.getByRole('heading', { name: 'Career' }) });

/** Stores positions that the owner has not confirmed, or confirmed on a day. */
const importPosition = (server: TestServer, uid: string, changes: object = {}) =>
  server.query(
    'update profiles set positions = $2 where account_id = $1',
    uid,
    JSON.stringify([{ ...position, confirmedOn: null, ...changes }]),
  );

async function withTracer(server: TestServer, work: (url: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'institution-'));
  const file = join(folder, 'institution.json');
  writeFileSync(file, JSON.stringify({ ...readInstitution('institution.json'), tracerReport: true }));
  const tracer = await server.startSecondServer({ INSTITUTION_FILE: file });
  try {
    await work(tracer.url);
  } finally {
    await tracer.stop();
    rmSync(folder, { recursive: true });
  }
}

test(
  'the card takes 8 taps, a typed role, and 3 letters each of employer and city; “What do you do now?” can be answered',
  { tag: '@release' },
  async ({ page, server }) => {
    const { uid: otherId } = await createMember(page, server);
    const employer = createName('Zobo Foods');
    await saveCareer(page, otherId, { positions: [{ ...position, employer }] });
    const { uid } = await createMember(page, server);
    await withTracer(server, async (url) => {
      await page.goto(`${url}/myprofile`);
      await waitForHydration(page);
      let taps = 0;
      const tap = async (role: 'button' | 'radio' | 'textbox' | 'combobox' | 'option', name: string | RegExp) => {
        taps++;
        await page
          .getByRole('main')
          .getByRole(role, { name, exact: typeof name === 'string' })
          .first()
          .tap();
      };
      await tap('button', 'Add where you are');
      await expect(page.getByRole('radio', { name: 'Working' })).toBeFocused();
      await expect(card(page)).toContainText('Members will see this, unless you choose otherwise in the settings.');
      await tap('radio', 'Working');
      await tap('textbox', 'Role');
      await page.keyboard.type('Taster');
      await tap('combobox', 'Employer');
      await page.keyboard.type('zob');
      await tap('option', employer);
      await tap('combobox', 'City');
      await page.keyboard.type('lag');
      await tap('option', /^Lagos/u);
      await expect(page.getByLabel('Country')).toHaveValue('NG');
      await tap('button', 'Save');
      await expect(section(page)).toContainText(`Taster, ${employer}`);
      expect(taps).toBe(8);
      await expect(section(page)).toContainText('Lives in Lagos, Nigeria');
      await expect(card(page)).toHaveCount(0);
      const { positions, tracer, cityId } = await (async () =>
        (await (await page.request.get(`${url}/api/users/${uid}/career`)).json()) as OwnCareer)();
      expect(positions).toMatchObject([{ role: 'Taster', employer }]);
      expect({ tracer, cityId }).toEqual({ tracer: { activity: 'working', inField: null }, cityId: lagos });

      await test.step('another member gives and deletes the answer in the settings', async () => {
        const { uid: nextId } = await createMember(page, server);
        const readTracer = async () =>
          ((await (await page.request.get(`${url}/api/users/${nextId}/career`)).json()) as OwnCareer).tracer;
        await page.goto(url + settings);
        await waitForHydration(page);
        const main = page.getByRole('main');
        await expect(main.getByText('Only counted, never shown').first()).toBeVisible();
        await expect(main.getByText('Is your work in the field that you studied?')).toHaveCount(0);
        await main.getByRole('radio', { name: 'Self-employed' }).tap();
        await main.getByRole('radio', { name: 'No', exact: true }).tap();
        await main.getByRole('button', { name: 'Save' }).tap();
        await expect(toast(page, 'Saved')).toBeVisible();
        expect(await readTracer()).toEqual({ activity: 'self-employed', inField: false });
        await page.reload();
        await main.getByRole('radio', { name: 'No answer' }).tap();
        await main.getByRole('button', { name: 'Save' }).tap();
        await expect.poll(readTracer).toBeNull();
      });
    });
  },
);

test('suggestions work with the keyboard', { tag: '@desk' }, async ({ page, server }) => {
  await createMember(page, server);
  await page.goto(settings);
  const city = page.getByRole('combobox', { name: 'City', exact: true });
  await city.click();
  await page.keyboard.type('iba');
  const options = page.getByRole('listbox', { name: 'City', exact: true }).getByRole('option');
  await expect(options.first()).toContainText('Nigeria');
  await page.keyboard.press('ArrowDown');
  await expect(options.first()).toHaveAttribute('aria-selected', 'true');
  await expect(city).toHaveAttribute('aria-activedescendant', (await options.first().getAttribute('id')) ?? '');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(options).toHaveCount(0);
  await expect(city).toHaveValue('iba');
  await page.keyboard.type('d');
  await expect(options.first()).toContainText('Ibadan');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(city).toHaveValue('Ibadan');
  await expect(page.getByLabel('Country', { exact: true })).toHaveValue('NG');
  await expect(city).toBeFocused();
});

test('imported work is asked about, and each answer does what it says', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  const question = 'The university’s records say: Engineer, Shell. Show this on your profile?';
  await importPosition(server, uid);
  await page.goto('/myprofile');
  await expect(card(page)).toContainText(question);
  await expectAccessible(page);
  await expect(section(page)).toHaveCount(0);
  await card(page).getByRole('link', { name: 'Change' }).tap();
  await expect(page).toHaveURL(settings);
  await expect(page.getByLabel('Role')).toHaveValue('Engineer');
  await expect(page.getByRole('main')).toContainText('Only you see them until you save.');
  await page.goto('/myprofile');
  await card(page).getByRole('button', { name: 'Remove' }).tap();
  await expect(card(page)).toHaveCount(0);
  expect((await readCareer(page, uid)).positions).toEqual([]);
  await importPosition(server, uid);
  await page.reload();
  await card(page).getByRole('button', { name: 'Show it' }).tap();
  await expect(section(page)).toContainText('Engineer, Shell · since 2021 Confirmed ');
  await expect(card(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Still correct' })).toHaveCount(0);

  await importPosition(server, uid, { confirmedOn: '2020-05-31' });
  await page.reload();
  await expect(section(page)).toContainText('Confirmed May 2020');
  await page.getByRole('button', { name: 'Still correct' }).tap();
  await expect(section(page)).not.toContainText('May 2020');
  await expect(page.getByRole('button', { name: 'Still correct' })).toHaveCount(0);
});

test('an imported place is asked about before others see it, and Remove removes it', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  const importPlace = () =>
    server.query(
      `update profiles set city = 'Lagos', city_id = $2, country = 'NG', is_place_confirmed = false where account_id = $1`,
      uid,
      lagos,
    );
  await importPlace();
  await page.goto('/myprofile');
  await expect(card(page)).toContainText('The university’s records say: Lagos, Nigeria. Show this on your profile?');
  await card(page).getByRole('button', { name: 'Remove' }).tap();
  await expect(card(page)).toHaveCount(0);
  expect(await readCareer(page, uid)).toMatchObject({ city: '', cityId: null, country: '' });
  await importPlace();
  await importPosition(server, uid);
  await page.reload();
  await expect(card(page)).toContainText('The university’s records say: Engineer, Shell; Lagos, Nigeria.');
  await card(page).getByRole('button', { name: 'Show it' }).tap();
  await expect(section(page)).toContainText('Lives in Lagos, Nigeria');
});

test('the form of the card keeps earlier positions and the start of the current one', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  const confirmed = { ...position, confirmedOn: '2020-05-31' };
  await server.query(
    'update profiles set positions = $2 where account_id = $1',
    uid,
    JSON.stringify([confirmed, { ...confirmed, role: 'Clerk', from: 2015, to: 2020 }]),
  );
  await page.goto('/myprofile');
  await card(page).getByRole('button', { name: 'Add where you are' }).tap();
  await card(page).getByLabel('Role').fill('Chief engineer');
  await card(page).getByRole('button', { name: 'Save' }).tap();
  await expect(card(page)).toHaveCount(0);
  expect((await readCareer(page, uid)).positions).toMatchObject([
    { role: 'Chief engineer', employer: 'Shell', from: 2021, to: null },
    { role: 'Clerk', from: 2015, to: 2020 },
  ]);
});

test('the form of the card does not keep the start for another employer', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  const stored = JSON.stringify([{ ...position, confirmedOn: '2020-05-31' }]);
  await server.query('update profiles set positions = $2 where account_id = $1', uid, stored);
  await page.goto('/myprofile');
  await card(page).getByRole('button', { name: 'Add where you are' }).tap();
  await card(page).getByLabel('Employer').fill('Total');
  await card(page).getByRole('button', { name: 'Save' }).tap();
  await expect(card(page)).toHaveCount(0);
  expect((await readCareer(page, uid)).positions).toMatchObject([{ employer: 'Total', from: null }]);
});

test('Not now hides the card and deletes its draft', async ({ page, server }) => {
  await createMember(page, server);
  await page.goto('/myprofile');
  await card(page).getByRole('button', { name: 'Add where you are' }).tap();
  await card(page).getByLabel('Employer').fill('Total');
  const storage = () => page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  await expect.poll(storage).toContain('Total');
  await card(page).getByRole('button', { name: 'Not now' }).tap();
  await expect(card(page)).toHaveCount(0);
  expect(await storage()).not.toContain('Total');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
  await expect(card(page)).toHaveCount(0);
});

test('the settings have earlier positions, audiences, and errors at their fields', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  await page.goto(settings);
  const save = page.getByRole('button', { name: 'Save' });
  await page.getByLabel('Role').fill('Engineer');
  await page.getByLabel('Employer').fill('https://x.example');
  await page.getByLabel('Since').fill('2021');
  await page.getByRole('button', { name: 'Add an earlier position' }).tap();
  const earlier = page.getByRole('group', { name: 'Position 2' });
  await expect(earlier.getByLabel('Role')).toBeFocused();
  await earlier.getByLabel('Role').fill('Trainee');
  await earlier.getByLabel('From').fill('2019');
  await earlier.getByLabel('To').fill('2016');
  await page.getByLabel('City', { exact: true }).fill('Ilé-Ifẹ̀');
  await page.getByLabel('Who sees your work').selectOption('me');
  await page.getByRole('checkbox', { name: 'Advice' }).tap();
  await save.tap();
  await expect(page.getByText('Web and email addresses are not allowed here')).toBeVisible();
  await expect(earlier.getByText('The end cannot be before the start')).toBeVisible();
  await expect(page.getByLabel('Employer').first()).toBeFocused();
  await expectAccessible(page);
  await page.getByLabel('Employer').first().fill('Booking.com');
  await earlier.getByLabel('From').fill('2014');
  await save.tap();
  await expect(page.getByText('Choose the country of the city')).toBeVisible();
  await page.getByLabel('Country', { exact: true }).selectOption({ label: 'Nigeria' });
  await save.tap();
  await expect(toast(page, 'Saved')).toBeVisible();
  const { positions, city, country, helps, visibility } = await readCareer(page, uid);
  expect(positions).toMatchObject([
    { role: 'Engineer', employer: 'Booking.com', from: 2021, to: null },
    { role: 'Trainee', employer: '', from: 2014, to: 2016 },
  ]);
  expect([city.normalize('NFC'), country, helps, visibility.positions]).toEqual([
    'Ilé-Ifẹ̀'.normalize('NFC'),
    'NG',
    ['advice'],
    'me',
  ]);
  await page.reload();
  await earlier.getByRole('button', { name: 'Remove' }).tap();
  await expect(page.getByRole('button', { name: 'Add an earlier position' })).toBeFocused();
  await save.tap();
  await expect.poll(async () => (await readCareer(page, uid)).positions).toHaveLength(1);
});

test('what is typed survives a change in another tab', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  await page.goto(settings);
  await page.getByLabel('Role').fill('Poet');
  await saveCareer(page, uid, { positions: [{ ...position, role: 'Editor' }] });
  await page.getByRole('button', { name: 'Save' }).tap();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Save again to keep what you see here');
  await expect(page.getByLabel('Role')).toHaveValue('Poet');
  expect((await readCareer(page, uid)).positions).toMatchObject([{ role: 'Editor' }]);
  await page.getByRole('button', { name: 'Save' }).tap();
  await expect.poll(async () => (await readCareer(page, uid)).positions).toMatchObject([{ role: 'Poet' }]);
});

test('Ask for advice opens the message form with a first sentence', async ({ page, server }) => {
  const other = await openOtherBrowser(page, server);
  const ada = await createMember(other.page, server, { firstName: 'Ada' });
  await saveCareer(other.page, ada.uid, { helps: ['advice', 'talk'] });
  await createMember(page, server);
  await page.goto(`/user/${ada.uid}`);
  const ask = page.getByRole('link', { name: 'Ask for advice' });
  await ask.tap();
  const message = page.getByRole('dialog', { name: `Write to ${ada.name}` }).getByLabel('Message');
  await expect(message).toHaveValue('Your profile says that you are willing to give advice. ');
  await page.getByRole('button', { name: 'Cancel' }).tap();
  await test.step('the sentence alone is no draft', async () => {
    await expect(page).toHaveURL(`/user/${ada.uid}`);
    await page.getByRole('link', { name: 'Ask for a talk' }).tap();
    await expect(message).toHaveValue('Your profile says that you are willing to give talks. ');
    await page.getByRole('button', { name: 'Cancel' }).tap();
  });
  await test.step('a viewer who cannot write sees no help offers', async () => {
    await send(other.page, 'PUT', '/api/contact/choices', { takesMessages: false });
    await page.reload();
    await expect(page.getByText('This person does not accept messages.')).toBeVisible();
    await expect(ask).toHaveCount(0);
    await other.page.goto(settings);
    await expect(other.page.getByText('This is shown only while you accept messages.')).toBeVisible();
  });
  await other.context.close();
});

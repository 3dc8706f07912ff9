import type { Page, Route } from '@playwright/test';
import { totpCode, totpStep } from '#server/platform/crypto/totp.ts';
import { decodeSecret } from '#server/testing/second-factor.ts';
import { enterConfirmedMode } from './confirmed-mode.ts';
import {
  createMember,
  createVerifiedAccount,
  expect,
  getCurrentUser,
  holdRequests,
  openOtherBrowser,
  password,
  test,
  toast,
  waitForHydration,
} from './fixtures.ts';
import { expectAccessible } from './expect-accessible.ts';
import { type SeededClaim, carryOutDecisions, findStaffPages, makeStaff, seedClaims } from './staff-data.ts';
import type { TestServer } from './test-server.ts';

/* The frame and the review queue of the staff console. */

/** One entry is equal to the claim; others are similar. */
const makeClaim = (at: number): SeededClaim => ({
  firstName: 'Adaeze',
  lastName: `Okafor${'abcdefghij'.charAt(at % 10)}${'klmnopqrst'.charAt(Math.floor(at / 10))}`,
  matricNumber: `2011029${1000 + at}X`,
});

const similarClaim: SeededClaim = {
  firstName: 'Oluwaseun-Olufunmilayo',
  lastName: 'Adebayo-Ogunbanjo-Williamson of Abeokuta',
  matricNumber: '20110295000X',
  note: 'My name was Adebayo before I married.',
  entries: [
    { last_name: 'ADEBAYO', first_name: 'OLUWASEUN' },
    { last_name: 'Adebayo-Ogunbanjo', first_name: 'Funmi', matric_number: '20110295001X' },
  ],
};

async function signInAsOwner(page: Page, server: TestServer): Promise<{ uid: string }> {
  await createVerifiedAccount(page, server);
  const { uid } = await getCurrentUser(page);
  await makeStaff(server, uid, 'owner');
  return { uid };
}

async function openQueue(page: Page, server: TestServer, claims: readonly SeededClaim[]): Promise<{ uid: string }> {
  const owner = await signInAsOwner(page, server);
  await seedClaims(server, claims);
  await page.goto('/staff/review');
  return owner;
}

async function openFirstOfTwo(page: Page, server: TestServer): Promise<void> {
  await openQueue(page, server, [makeClaim(1), makeClaim(2)]);
  await page.getByRole('link', { name: /^Okaforbk/u }).click();
  await expect(thisEntry(page)).toBeEnabled();
}

const thisEntry = (page: Page) => page.getByRole('button', { name: /^Confirm entry/u });
const reasonField = (page: Page) => page.getByLabel('Reason (the claimant reads it)');

const itemHeading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

test('the staff console does not exist for members, and guests sign in first', async ({ page, server }) => {
  await page.goto('/staff/review?kind=claim');
  await expect(page).toHaveURL(/^[^?]*\/login\?from=%2Fstaff%2Freview%3Fkind%3Dclaim/u);
  await createMember(page, server);
  for (const path of ['/staff', '/staff/review', '/staff/unknown', '/staff/constructor'])
    expect((await page.goto(path))?.status()).toBe(404);
});

test('the staff console asks for a second factor, then for the password, and continues on the same page', async ({
  page,
  server,
}) => {
  await createVerifiedAccount(page, server);
  const { uid } = await getCurrentUser(page);
  await server.query(`insert into staff_roles (account_id, role, college) values ($1, 'registrar', 'COSIT')`, uid);
  await page.goto('/staff/review');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Set up app' }).click();
  const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' });
  const secret = decodeSecret((await dialog.locator('code').innerText()).replaceAll(/\s/gu, ''));
  await dialog.getByLabel('Code', { exact: true }).fill(totpCode(secret, totpStep()));
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('button', { name: 'I have saved them' }).click();
  await expect(page.getByText('the staff console opens 72 hours later')).toBeVisible();
  await expectAccessible(page);
  // As after the approval of an owner.
  await server.query('update accounts set console_held_at = null where id = $1', uid);
  await page.goto('/staff/review');
  await expect(page.getByRole('heading', { level: 1, name: 'Review queue' })).toBeVisible();
  await makeStaff(server, uid, 'moderator');
  await server.query(`update sessions set authenticated_at = now() - interval '13 hours' where account_id = $1`, uid);
  await page.goto('/staff/review');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Enter your password' }).click();
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Review queue' })).toBeVisible();
  await page.getByRole('button', { name: 'Menu' }).click();
  await expect(page.getByText('Registrar · COSIT')).toBeVisible();
  await expect(page.getByText('Moderator · Whole institution')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Review queue' })).toHaveAttribute('aria-current', 'page');
  await page.getByRole('link', { name: 'Back to the archive' }).click();
  await expect(page).toHaveURL('/');
});

test('the staff console offers TRY AGAIN when its script fails to load', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  await makeStaff(server, uid, 'owner');
  await page.goto('/settings');
  await waitForHydration(page);
  await page.route('**/assets/pages-*.js', (route) => route.abort('connectionreset'));
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('complementary').getByRole('link', { name: 'Staff console' }).click();
  await expect(page.getByText('ERROR: Failed to fetch data')).toBeVisible();
  await page.unroute('**/assets/pages-*.js');
  await page.getByRole('button', { name: 'TRY AGAIN' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Review queue' })).toBeVisible();
});

test(
  'the review queue is accessible and fits, at both sizes, in both themes and at 320 px',
  { tag: '@both' },
  async ({ page, server }) => {
    await openQueue(page, server, [similarClaim, makeClaim(1)]);
    await expectAccessible(page);
    await page.getByRole('link', { name: /^Adebayo-Ogunbanjo/u }).click();
    await expect(itemHeading(page, /^Adebayo-Ogunbanjo/u)).toBeFocused();
    await expect(thisEntry(page)).toBeEnabled();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reject' }).click();
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'color-contrast');
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  },
);

const measureLines = (element: Element) => {
  const lines = new Map<number, number>();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode())
    for (let at = 0; at < (node.nodeValue ?? '').length; at++) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + 1);
      const top = Math.round(range.getBoundingClientRect().top);
      lines.set(top, (lines.get(top) ?? 0) + 1);
    }
  return { lengths: [...lines.values()], left: element.getBoundingClientRect().left };
};

test(
  'every staff page has its introduction below the title, in lines of at most 64 characters',
  { tag: ['@desk', '@release'] },
  async ({ page, server }) => {
    await signInAsOwner(page, server);
    for (const path of (await findStaffPages(page)).filter((one) => one !== '/staff/review')) {
      await page.goto(path);
      const heading = page.getByRole('heading', { level: 1 });
      const lead = page.locator('h1 + div');
      const { lengths, left } = await lead.evaluate(measureLines);
      expect(Math.max(...lengths), path).toBeLessThanOrEqual(64);
      expect(left, path).toBe(await heading.evaluate((element) => element.getBoundingClientRect().left));
    }
  },
);

test('claims that agree are confirmed together if the addresses of their entries did not object', async ({
  page,
  server,
}) => {
  await openQueue(page, server, [makeClaim(1), makeClaim(2), makeClaim(3), makeClaim(4)]);
  await server.query(
    `update claims c set agreeing_entry = e.id, entry_told_at = now() - interval '8 days'
     from roster_entries e where e.matric_number = c.typed->>'matricNumber' and e.last_name <> 'Okaforek'`,
  );
  await server.query(`update roster_entries set email = lower(matric_number) || '@mail.example'`);
  await server.query(`update claims set objected_at = now() where typed->>'lastName' = 'Okaforck'`);
  await page.reload();
  await page.getByRole('button', { name: 'Confirm 3 that agree' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm up to 3 claims?' });
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(toast(page, /^2 of 3 claims confirmed\./u)).toBeVisible();
  await carryOutDecisions(server, 2);
  await expect(() =>
    server.query(`do $$ begin
        assert (select array_agg(typed->>'lastName' order by typed->>'lastName') from claims where state = 'confirmed') = '{Okaforbk,Okafordk}';
      end $$`),
  ).toPass();
});

test('a phone shows the list or one item, and compares one entry at a time', async ({ page, server }) => {
  await openQueue(page, server, [similarClaim, makeClaim(1)]);
  await page.getByRole('link', { name: /^Adebayo-Ogunbanjo/u }).click();
  const heading = (name: RegExp) => page.getByRole('columnheader', { name });
  await expect(heading(/^Choose Entry 1 \d of \d match/u)).toBeVisible();
  await expect(heading(/^Choose Entry 2/u)).toBeHidden();
  await page.getByRole('group', { name: 'Shown beside' }).getByRole('button', { name: 'Entry 2' }).click();
  await expect(heading(/^Choose Entry 1/u)).toBeHidden();
  // Showing another entry does not choose it.
  await expect(thisEntry(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Choose Entry 2' }).click();
  await thisEntry(page).click();
  await page.getByRole('button', { name: 'Certificate' }).click();
  await expect(itemHeading(page, /^Okafor/u)).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).filter({ visible: true }).click();
  await expect(itemHeading(page, /^Adebayo-Ogunbanjo/u)).toBeVisible();
  await page.getByRole('link', { name: 'Review queue' }).click();
  await expect(page).toHaveURL('/staff/review');
  await expect(page.getByRole('link', { name: /^Adebayo-Ogunbanjo/u })).toBeVisible();
});

test('an entry with another name or birth date has a warning', { tag: '@desk' }, async ({ page, server }) => {
  const otherName = { last_name: 'Balogun', first_name: 'Tunde', matric_number: '20110291001Y' };
  const otherDay = { birth_date: '1987-09-30', matric_number: '20110291001Z' };
  await openQueue(page, server, [{ ...makeClaim(1), entries: [{}, otherName, otherDay] }]);
  await page.getByRole('link', { name: /^Okaforbk/u }).click();
  await expect(page.getByRole('button', { name: 'Confirm entry 1' })).toBeEnabled();
  const warning = page.getByText(/has another .*\.$/u);
  await expect(warning).toHaveCount(0);
  const warnings = new Set<string>();
  for (const key of ['2', '3']) {
    await page.keyboard.press(key);
    await expect(page.getByRole('button', { name: `Confirm entry ${key}` })).toBeEnabled();
    warnings.add((await warning.innerText()).replace(/\d/u, 'N'));
    await expectAccessible(page);
  }
  expect([...warnings].toSorted()).toEqual([
    'Entry N has another matric number and birth date.',
    'Entry N has another matric number and name.',
  ]);
});

test('a claim shows what the university said, and who else claimed with the same university account', async ({
  page,
  server,
}) => {
  await openQueue(page, server, [makeClaim(1), makeClaim(2)]);
  const say = (campus: object) =>
    server.query('update claims set typed = typed || $1::jsonb', JSON.stringify({ campus }));
  await say({ affiliation: 'alum', areNamesSame: true, identity: 'a' });
  await page.getByRole('link', { name: /^Okaforbk/u }).click();
  await expect(page.getByText('OUE says that this is a graduate. The name matches this claim.')).toBeVisible();
  const warning = page.getByText('The OUE account of this claim was also used by Okaforck Adaeze (claimant-');
  await expect(warning).toHaveCount(0);
  await say({ affiliation: null, areNamesSame: false, identity: 'a' });
  await server.query(
    `insert into claim_attempts (account_id, kind, typed) select account_id, 'claim', typed from claims`,
  );
  await page.reload();
  await expect(
    page.getByText('OUE does not say whether this is a student or graduate. The name does not match this claim.'),
  ).toBeVisible();
  await expect(warning).toBeVisible();
  await expectAccessible(page);
});

test(
  'no entry with another number is chosen at first, and only three are compared',
  { tag: '@desk' },
  async ({ page, server }) => {
    const numbers = ['20110296001Y', '20110296001Z', '20110296002X', '20110296003X'];
    const entries = numbers.map((matric_number) => ({ matric_number }));
    await openQueue(page, server, [{ ...makeClaim(1), matricNumber: '20110296001X', entries }]);
    const row = page.getByRole('link', { name: /^Okaforbk/u });
    await expect(row).toContainText('20110296001X · Computer Science 2015');
    await row.click();
    await expect(page.getByText(/^No entry has the number of the claim\./u)).toBeVisible();
    await expect(thisEntry(page)).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Choose an entry above' })).toBeDisabled();
    await expect(page.getByRole('button', { name: 'Confirm without an entry' })).toBeEnabled();
    const columns = page.getByRole('columnheader', { name: /^Choose Entry/u });
    await expect(columns).toHaveCount(3);
    await expect(columns.first()).toContainText(/^Choose Entry 1[5-7] of [6-8] match, 1 nearly/u);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Compare 1 more entry' }).click();
    await expect(columns).toHaveCount(4);
    await page.keyboard.press('4');
    await expect(page.getByRole('button', { name: 'Confirm entry 4' })).toBeEnabled();
    await expect(page.getByRole('button', { name: 'Choose an entry above' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Compare only the first 3' }).click();
    await expect(thisEntry(page)).toHaveCount(0);
  },
);

for (const { count, undoneAt, tag } of [
  { count: 5, undoneAt: 3, tag: ['@desk'] },
  // More than the list loads at once.
  { count: 52, undoneAt: 30, tag: ['@desk', '@release'] },
])
  test(`${count} claims are decided by keyboard alone`, { tag }, async ({ page, server }) => {
    if (count > 5) test.slow();
    const claims = Array.from({ length: count }, (_, at) => makeClaim(at));
    const { uid } = await openQueue(page, server, claims);
    // The scripts have run: the queue has taken the focus.
    await expect(page.locator('div:focus')).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const names = claims.map(({ lastName, firstName }) => `${lastName} ${firstName}`);
    for (const [at, name] of names.entries()) {
      await expect(itemHeading(page, name)).toBeVisible();
      await expect(thisEntry(page)).toBeEnabled();
      await page.keyboard.press('a');
      await expect(page.getByRole('button', { name: 'Passport' })).toBeFocused();
      await page.keyboard.press('Enter');
      if (at !== undoneAt) continue;
      await expect(page.getByText(`Confirmed: ${name}`).filter({ visible: true })).toBeVisible();
      await expect(itemHeading(page, names[at + 1] ?? '')).toBeVisible();
      await page.keyboard.press('u');
      await expect(itemHeading(page, name)).toBeVisible();
      await expect(thisEntry(page)).toBeEnabled();
      await page.keyboard.press('a');
      await page.keyboard.press('3');
    }
    await expect(page.getByText('Nothing to decide').filter({ visible: true })).toBeVisible();
    await expect(page.getByText('0 waiting', { exact: true })).toBeVisible();
    await carryOutDecisions(server, count);
    await expect(() =>
      server.query(`do $$ begin
        assert (select count(*) from claims where state = 'confirmed') = ${count}, 'claims';
        assert (select count(*) from evidence where kind = 'staff-review') = ${count}, 'evidence';
        assert (select count(*) from audit_records where action = 'claim-confirmed' and actor = '${uid}') = ${count}, 'records';
        assert (select count(*) from evidence where detail = 'Certificate') = 1, 'undone';
      end $$`),
    ).toPass();
    await page.reload();
    await expect(page.getByText('Nothing to decide').filter({ visible: true })).toBeVisible();
    await expect(page.getByRole('link', { name: /^Okafor/u })).toHaveCount(0);
  });

test(
  'the focus never leaves the queue while it moves from item to item',
  { tag: '@desk' },
  async ({ page, server }) => {
    await openFirstOfTwo(page, server);
    // The observer runs right after each change of the page, before any key can be handled.
    await page.evaluate(() => {
      let lost = 0;
      const observer = new MutationObserver(() => {
        if (document.activeElement === document.body) lost += 1;
        document.documentElement.dataset['lost'] = String(lost);
      });
      observer.observe(document.querySelector('main') ?? document.body, { childList: true, subtree: true });
    });
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await expect(itemHeading(page, /^Okaforck/u)).toBeVisible();
    await page.keyboard.press('u');
    await expect(itemHeading(page, /^Okaforbk/u)).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('data-lost', '0');
  },
);

test(
  'shortcuts do nothing in a text field, are listed, and can be turned off',
  { tag: '@desk' },
  async ({ page, server }) => {
    await openFirstOfTwo(page, server);
    await page.keyboard.press('n');
    await page.keyboard.type('arno');
    await expect(page.getByLabel('Note for other staff')).toHaveValue('arno');
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('listitem').filter({ hasText: 'arno' })).toBeVisible();
    await expect(page.getByRole('link', { name: /1 note/u })).toBeVisible();
    await page.keyboard.press('r');
    await page.keyboard.press('2');
    await expect(reasonField(page)).toHaveValue(/^We could not confirm you with the details you gave/u);
    await expect(reasonField(page)).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Reject' })).toBeFocused();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(dialog).toBeVisible();
    await expectAccessible(page);
    await dialog.getByLabel('Use single-key shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await expect(reasonField(page)).toHaveCount(0);
    await page.reload();
    await page.getByRole('button', { name: 'Add a note' }).focus();
    await page.keyboard.press('r');
    await expect(reasonField(page)).toHaveCount(0);
  },
);

test(
  'a decision that cannot be saved keeps its text, and the item shows why',
  { tag: '@desk' },
  async ({ page, server }) => {
    await openFirstOfTwo(page, server);
    await page.getByRole('button', { name: 'Reject' }).click();
    await reasonField(page).fill('Bring your certificate.');
    // The claimant changes the claim meanwhile.
    await server.query(`update claims set typed = typed || '{"note": "I have a new name."}'`);
    await page.getByRole('button', { name: 'Reject' }).first().click();
    const row = page.getByRole('link', { name: /not saved/u });
    await expect(row).toBeVisible();
    await row.click();
    await expect(page.getByText('I have a new name.')).toBeVisible();
    await expect(reasonField(page)).toHaveValue('Bring your certificate.');
    await page.getByRole('button', { name: 'Reject' }).first().click();
    await expect(page.getByText(/^Rejected: /u).filter({ visible: true })).toBeVisible();
  },
);

test(
  'an opened item is held for one person, and others can take it over',
  { tag: '@desk' },
  async ({ page, server }) => {
    await openFirstOfTwo(page, server);
    const other = await openOtherBrowser(page, server);
    await signInAsOwner(other.page, server);
    await other.page.goto('/staff/review');
    const held = other.page.getByRole('link', { name: /Opened by/u });
    await expect(held).toHaveCount(1);
    await held.click();
    await expect(thisEntry(other.page)).toBeDisabled();
    await other.page.getByRole('button', { name: 'Take over' }).click();
    await expect(thisEntry(other.page)).toBeEnabled();
    await thisEntry(page).click();
    await page.getByRole('button', { name: 'Passport' }).click();
    await expect(page.getByRole('link', { name: /not saved/u })).toBeVisible();
    await other.context.close();
  },
);

test(
  'the lease of an open item is renewed, and after a takeover the page keeps what was typed',
  { tag: '@desk' },
  async ({ page, server }) => {
    await page.clock.install();
    await openFirstOfTwo(page, server);
    await server.query(`update review_leases set expires_at = now() + interval '1 minute'`);
    const renewed = page.waitForResponse((response) => response.url().endsWith('/lease') && response.ok());
    await page.clock.fastForward('01:01');
    const { until } = (await (await renewed).json()) as { until: string };
    expect(Date.parse(until) - Date.now()).toBeGreaterThan(13 * 60_000);

    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByLabel('Note for other staff').fill('Called her.');
    await page.getByRole('button', { name: 'Reject' }).click();
    await reasonField(page).fill('Bring your certificate.');
    const other = await openOtherBrowser(page, server);
    await signInAsOwner(other.page, server);
    await other.page.goto('/staff/review');
    await other.page.getByRole('link', { name: /Opened by/u }).click();
    await other.page.getByRole('button', { name: 'Take over' }).click();
    await expect(thisEntry(other.page)).toBeEnabled();

    await page.clock.fastForward('01:01');
    await expect(page.getByText('has taken over this item. What you have typed is still here.')).toBeVisible();
    await expect(thisEntry(page)).toBeDisabled();
    await expect(page.getByLabel('Note for other staff')).toHaveValue('Called her.');
    await expect(reasonField(page)).toHaveValue('Bring your certificate.');
    await expectAccessible(page);

    // The other person decides, and that takes effect.
    await thisEntry(other.page).click();
    const decided = other.page.waitForResponse('**/decision');
    await other.page.getByRole('button', { name: 'Passport' }).click();
    await decided;
    await page.clock.fastForward('01:01');
    await expect(page.getByText(/^Decided by .*: confirmed\. The decision takes effect/u)).toBeVisible();
    await expect(reasonField(page)).toHaveValue('Bring your certificate.');
    await other.context.close();
  },
);

test('a decision without a connection is kept, and can be sent again', { tag: '@desk' }, async ({ page, server }) => {
  await openQueue(page, server, [makeClaim(1), makeClaim(2)]);
  const isSecondLoaded = page.waitForResponse(
    async (response) => response.url().includes('/api/staff/') && (await response.text()).includes('"Okaforck"'),
  );
  await page.getByRole('link', { name: /^Okaforbk/u }).click();
  await isSecondLoaded;
  await page.getByRole('button', { name: 'Reject' }).click();
  await reasonField(page).fill('Bring your certificate.');
  await page.keyboard.press('Escape');
  await expect(reasonField(page)).toHaveCount(0);
  await page.getByRole('link', { name: /^Okaforck/u }).click();
  await expect(itemHeading(page, /^Okaforck/u)).toBeVisible();
  await page.getByRole('link', { name: /^Okaforbk/u }).click();
  await page.getByRole('button', { name: 'Reject' }).click();
  await expect(reasonField(page)).toHaveValue('Bring your certificate.');
  await page.context().setOffline(true);
  await page.getByRole('button', { name: 'Reject' }).first().click();
  await expect(itemHeading(page, /^Okaforck/u)).toBeVisible();
  const notSaved = page.getByRole('status').filter({ hasText: 'Not saved: Okaforbk Adaeze', visible: true });
  await expect(notSaved).toContainText('Check your connection');
  await expectAccessible(page);
  await notSaved.getByRole('button', { name: 'Open' }).click();
  await expect(reasonField(page)).toHaveValue('Bring your certificate.');
  await expect(page.getByText('Your decision was not saved: We could not reach the server')).toBeVisible();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(itemHeading(page, /^Okaforck/u)).toBeVisible();
  await expect(page.getByText('Rejected: Okaforbk Adaeze').filter({ visible: true })).toBeVisible();
  await expect(() =>
    server.query(`do $$ begin
        assert (select decision ->> 'reason' from review_decisions) = 'Bring your certificate.', 'decision';
      end $$`),
  ).toPass();
});

test(
  'a decision whose response was lost is saved once, and can be undone',
  { tag: '@desk' },
  async ({ page, server }) => {
    await openFirstOfTwo(page, server);
    const loseResponse = async (route: Route) => {
      await route.fetch();
      await route.abort('connectionreset');
    };
    await page.route('**/decision', loseResponse, { times: 1 });
    await thisEntry(page).click();
    await page.getByRole('button', { name: 'Passport' }).click();
    const notSaved = page.getByRole('status').filter({ hasText: 'Not saved: Okaforbk Adaeze', visible: true });
    const saveDecision = await holdRequests(page, '**/decision');
    await notSaved.getByRole('button', { name: 'Send again' }).click();
    await expect(page.getByText('Confirmed: Okaforbk Adaeze').filter({ visible: true })).toBeVisible();
    await expect(notSaved).toHaveCount(0);
    await expect(itemHeading(page, /^Okaforck/u)).toBeVisible();
    // Before the response, which says that the decision is already stored.
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('button', { name: 'Undoing...' })).toBeDisabled();
    saveDecision();
    await expect(itemHeading(page, /^Okaforbk/u)).toBeVisible();
    await expect(thisEntry(page)).toBeEnabled();
  },
);

test(
  'the open queue and the counter in the menu show new items without a reload',
  { tag: '@desk' },
  async ({ page, server }) => {
    await page.clock.install();
    await openQueue(page, server, [makeClaim(1)]);
    const link = page.getByRole('navigation', { name: 'Staff console' }).getByRole('link', { name: 'Review queue' });
    await expect(link).toHaveText('Review queue1 waiting');
    await seedClaims(server, [makeClaim(2)]);
    await server.query(`update claims set department = 'Computer Science'`);
    await page.clock.fastForward(61_000);
    await expect(page.getByRole('link', { name: /^Okaforck/u })).toBeVisible();
    await expect(link).toHaveText('Review queue2 waiting');
    await page.getByLabel('Filter', { exact: true }).click();
    await page.getByLabel('Department').selectOption('Computer Science');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(page).toHaveURL(/department=Computer\+Science/u);
    await expect(page.getByRole('link', { name: /^Okaforck/u })).toBeVisible();
    await page.getByLabel('Filter', { exact: true }).click();
    await page.getByLabel('Name').fill('nobody');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await expect(page.getByText('No item matches').filter({ visible: true })).toBeVisible();
    await page.getByLabel('Filter', { exact: true }).click();
    await page.getByRole('link', { name: 'Remove the filter' }).click();
    await expect(page.getByRole('link', { name: /^Okaforck/u })).toBeVisible();
  },
);

test(
  'on a slow network, the queue shows what it waits for, and the list does not move',
  { tag: ['@desk', '@release'] },
  async ({ page, server }) => {
    await openFirstOfTwo(page, server);
    const row = page.getByRole('link', { name: /^Okaforbk/u });
    const place = await row.boundingBox();
    const saveDecision = await holdRequests(page, '**/decision');
    await thisEntry(page).click();
    await page.getByRole('button', { name: 'Passport' }).click();
    await expect(row).toContainText('Saving...');
    await expect(itemHeading(page, /^Okaforck/u)).toBeVisible();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect(page.getByRole('button', { name: 'Undoing...' })).toBeDisabled();
    saveDecision();
    await expect(itemHeading(page, /^Okaforbk/u)).toBeVisible();
    await expect(thisEntry(page)).toBeEnabled();
    expect(await row.boundingBox()).toEqual(place);

    const saveNote = await holdRequests(page, '**/notes');
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByLabel('Note for other staff').fill('Called her.');
    await page.getByRole('button', { name: 'Save the note' }).click();
    await expect(page.getByRole('button', { name: 'Saving...' })).toBeDisabled();
    saveNote();
    await expect(page.getByRole('listitem').filter({ hasText: 'Called her.' })).toBeVisible();

    const loadItem = await holdRequests(page, '**/api/staff/claims/*');
    await page.reload();
    await waitForHydration(page);
    await page.getByRole('link', { name: /^Okaforck/u }).click();
    await expect(itemHeading(page, /^Okaforck/u)).toBeVisible();
    await expect(page.getByRole('status').filter({ hasText: 'Loading...' })).toHaveCount(1);
    loadItem();
    await expect(thisEntry(page)).toBeEnabled();
  },
);

test('the review queue without JavaScript shows the items, and says how to decide them', async ({
  page,
  browser,
  server,
}) => {
  await openQueue(page, server, [makeClaim(1)]);
  const storageState = await page.context().storageState();
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.url, storageState });
  const plainPage = await context.newPage();
  // The first note is that of the console.
  const note = plainPage.locator('noscript p').last();
  await plainPage.goto('/staff/review');
  await expect(note).toContainText('You need JavaScript to decide.');
  await plainPage.getByRole('link', { name: /^Okaforbk/u }).click();
  await expect(itemHeading(plainPage, /^Okaforbk/u)).toBeVisible();
  await expect(plainPage.getByRole('columnheader', { name: /^Claim/u })).toBeVisible();
  await expect(note).toContainText('You need JavaScript to decide.');
  await expect(thisEntry(plainPage)).toBeHidden();
  await context.close();
});

async function openDispute(page: Page, server: TestServer): Promise<void> {
  await enterConfirmedMode(server);
  await openQueue(page, server, [
    makeClaim(1),
    { ...makeClaim(1), firstName: 'Ada', matricNumber: '20110299999X', entries: [] },
  ]);
  await server.query(
    `with accounts as (select array_agg(account_id order by created_at) as ids from claims),
           entry as (select min(id) as id from roster_entries)
         insert into disputes (entry_id, holder_id, claimant_id) select entry.id, ids[1], ids[2] from entry, accounts`,
  );
  await page.goto('/staff/review?kind=dispute');
  await page.getByRole('link', { name: /two accounts/u }).click();
}

test(
  'a dispute of people with long names fits the window',
  { tag: ['@both', '@release'] },
  async ({ page, server }) => {
    await openDispute(page, server);
    const name = 'Chukwuemekaobinnaonyekachukwuugochukwuchidiebere';
    await server.query(
      `update accounts set display_name = $1, email = $2 || id || '@mail.example' where id in (select account_id from claims)`,
      `${name} ${name}`,
      name,
    );
    await page.reload();
    const width = page.viewportSize()?.width ?? 0;
    for (const heading of ['Holder', 'Other account']) {
      const title = page.getByRole('heading', { name: `${heading}: ${name}` });
      await expect(title).toBeVisible();
      const section = title.locator('xpath=ancestor::section');
      const right = await section.evaluate((element) =>
        Math.max(
          ...[element, ...element.querySelectorAll('*')].map(
            (part) => part.getBoundingClientRect().left + part.scrollWidth,
          ),
        ),
      );
      expect(right, heading).toBeLessThanOrEqual(width);
    }
  },
);

test('a dispute is decided between both sides', { tag: '@desk' }, async ({ page, server }) => {
  await openDispute(page, server);
  await expect(page.getByRole('button', { name: 'The holder keeps it' })).toBeEnabled();
  await expectAccessible(page);
  const [holder, claimant] = ['20110291001x', '20110299999x'].map((number) => `claimant-${number}@mail.example`);
  await page.getByRole('button', { name: 'The holder keeps it' }).click();
  await expect(page.getByRole('heading', { name: /^Let .* keep the entry/u })).toContainText(`(${holder})`);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'The other account gets it' }).click();
  await expect(page.getByRole('heading', { name: /^Give the entry to/u })).toContainText(`(${claimant})`);
  await page.getByRole('button', { name: 'Transfer', exact: true }).click();
  await expect(page.getByText(/^Holder loses the entry: /u).filter({ visible: true })).toBeVisible();
});

/**
 * Rejects the only claim, as the member of staff, and opens it in the list of decided items.
 * @returns the id of the claim
 */
async function openRejected(page: Page, server: TestServer): Promise<string> {
  const { uid } = await openQueue(page, server, [makeClaim(1)]);
  await server.query(
    `update claims set state = 'rejected', decided_at = now(), decided_by = 'staff', reason = 'Bring your certificate.'`,
  );
  await server.query(
    `select append_audit_record($1, 'claim-rejected', 'claim', id::text, '{}') from claims where state = 'rejected'`,
    uid,
  );
  await page.reload();
  await page.getByRole('link', { name: 'Decided', exact: true }).click();
  await expect(page.getByRole('link', { name: 'Waiting 0' })).toBeVisible();
  await page.getByRole('link', { name: /^Okaforbk/u }).click();
  await expect(page).toHaveURL(/^[^?]*\/staff\/review\/claim-[^?]+\?state=decided$/u);
  return new URL(page.url()).pathname.replace('/staff/review/claim-', '');
}

test(
  'a decided claim stays readable at its address, and is reopened with a reason',
  { tag: '@desk' },
  async ({ page, server }) => {
    const id = await openRejected(page, server);
    await expect(page.getByText(/^Claim · Rejected on .+ by .+/u)).toBeVisible();
    await expect(page.getByText('Answer: “Bring your certificate.”')).toBeVisible();
    await expect(thisEntry(page)).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Add a note' })).toHaveCount(0);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Reopen' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reopen this item?' });
    await dialog.getByLabel('Reason, for other staff').fill('She came with her certificate.');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Reopen' }).click();
    await expect(page).not.toHaveURL(new RegExp(id, 'u'));
    await expect(thisEntry(page)).toBeEnabled();
    const notes = page.getByRole('region', { name: 'Notes' });
    await expect(notes.getByText('She came with her certificate.')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'See the earlier decision' }).click();
    await expect(page.getByRole('link', { name: 'Reopened: see the new decision' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Reopen' })).toHaveCount(0);
  },
);

test('the page of a person links the decided claim, which says how a confirmation is withdrawn', async ({
  page,
  server,
}) => {
  const id = await openRejected(page, server);
  const response = await page.request.get(`/api/staff/claims/${id}`);
  const { account } = (await response.json()) as { account: { id: string } };
  await server.query(`update claims set state = 'confirmed' where id = $1`, id);
  await server.query(`update accounts set membership_status = 'confirmed' where id = $1`, account.id);
  await page.goto(`/staff/people/${account.id}`);
  const items = page.getByRole('region', { name: 'Review items' });
  await expect(items.getByRole('listitem')).toHaveText(/^Claim: Confirmed on /u);
  await items.getByRole('link').click();
  await expect(page.getByText('This person is confirmed.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Reopen' })).toHaveCount(0);
  await page.getByRole('link', { name: 'withdraw the confirmation' }).click();
  await expect(page).toHaveURL(`/staff/people/${account.id}`);
});

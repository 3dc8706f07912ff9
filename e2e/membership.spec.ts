import type { BrowserContext, Page } from '@playwright/test';
import { addEntryWithCode, confirmMembers, enterConfirmedMode } from './confirmed-mode.ts';
import {
  completeProfile,
  createMember,
  createVerifiedAccount,
  expect,
  followLink,
  logOut,
  openOtherBrowser,
  password,
  photo,
  send,
  test,
  toast,
  waitForHydration,
} from './fixtures.ts';
import { expectAccessible } from './expect-accessible.ts';
import { carryOutDecisions, makeStaff } from './staff-data.ts';

/* Confirmed membership in the browser. All other files test an archive in the mode `open`. */

const openWay = (page: Page, title: string) => page.locator('summary').filter({ hasText: title }).click();

/**
 * Opens a page that needs several members, and checks its accessibility in both themes. The other pages are in
 * `accessibility.spec.ts`.
 */
async function checkPage(page: Page, path: string, heading: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible();
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, 'color-contrast');
  await page.emulateMedia({ colorScheme: 'light' });
}

test('a page of confirmed membership is not found in an archive without it', async ({ page, server }) => {
  for (const path of ['/join', '/join/7K3QMX9R2D', '/not-you?code=abc']) {
    expect((await page.goto(path))?.status()).toBe(404);
  }
  await createMember(page, server);
  for (const path of ['/confirm', '/vouch/abc', '/join']) expect((await page.goto(path))?.status()).toBe(404);
  await page.goto('/settings?section=membership');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Membership' })).toHaveCount(0);
});

test('every page shows an unconfirmed user their status, before and after hydration', async ({ page, server }) => {
  await enterConfirmedMode(server);
  const { uid } = await createMember(page, server);
  const html = await (await page.request.get('/')).text();
  expect(html).toContain('Not confirmed yet: you see what guests see.');
  for (const path of ['/', '/gallery']) {
    await page.goto(path);
    const status = await page.getByText('Not confirmed yet: you see what guests see.').boundingBox();
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    expect(status?.y, path).toBeLessThan(heading?.y ?? 0);
  }
  await expect(page.getByRole('button', { name: 'Add photos' })).toHaveCount(0);
  const link = page.getByRole('link', { name: 'Confirm that you studied here' });
  await link.click();
  await expect(page).toHaveURL('/confirm');
  await expect(link).toHaveCount(0);
  await page.goto('/join');
  await expect(page.getByRole('link', { name: 'See the other ways' })).toHaveAttribute('href', '/confirm');
  await expect(link).toHaveCount(0);

  await server.query(`update accounts set confirm_by = '2096-02-21T12:00:00Z' where id = $1`, uid);
  await page.goto('/');
  await expect(page.getByText('You are a member until 21 Feb 2096.')).toBeVisible();
  await expect(page.getByText(/^\d+ shown in Computer Science$/u)).toBeVisible();
  await link.click();
  await expect(page.getByRole('heading', { name: 'You are a member until 21 February 2096' })).toBeVisible();
});

test('a slip leads through sign-up, verification and profile to a confirmed member', async ({ page, server }) => {
  await enterConfirmedMode(server);
  const { uid } = await createMember(page, server);
  const code = await addEntryWithCode(server, uid, '20110294001X');
  const slip = `/join/${code.slice(0, 5)}-${code.slice(5)}`;
  await page.context().clearCookies();
  await page.goto(slip);
  await expect(page.getByRole('heading', { name: 'Use your code' })).toBeVisible();
  await expect(page.getByText(code.replace(/^(.{4})(.{4})(.{4})$/u, '$1-$2-$3'))).toBeVisible();
  expect(await page.content()).not.toContain('20110294001X');
  await page.getByRole('link', { name: 'Sign up' }).click();
  await expect(page).toHaveURL('/signup');
  await createVerifiedAccount(page, server);
  await page.goto('/onboarding');
  await completeProfile(page, slip);
  await page.getByRole('button', { name: 'Use this code' }).click();
  await expect(page.getByRole('heading', { name: 'You are a confirmed member' })).toBeVisible();
  await expect(page.getByText('You see what guests see.')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Class of 2015' }).getByRole('link')).not.toHaveCount(0);
  await expectAccessible(page);
  await page.getByRole('link', { name: 'See your class' }).click();
  await expect(page.getByRole('main').getByText('Your class', { exact: true })).toBeVisible();
  // The used code is forgotten.
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test('a wrong code on the page of a slip can be corrected', async ({ page, server }) => {
  await enterConfirmedMode(server);
  const { uid } = await createMember(page, server);
  const code = await addEntryWithCode(server, uid, '20110294001X');
  await page.goto('/join/7K3QMX9R2DAB');
  await page.getByRole('button', { name: 'Use this code' }).click();
  const field = page.getByLabel('Code', { exact: true });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue('7K3Q-MX9R-2DAB');
  await expect(field).toHaveAccessibleDescription(/This code does not work\./u);
  await expectAccessible(page);
  await field.fill(code);
  await page.getByRole('button', { name: 'Use this code' }).click();
  await expect(page.getByRole('heading', { name: 'You are a confirmed member' })).toBeVisible();
});

test('a sign-out deletes the code of a slip that the device has kept', async ({ page, server }) => {
  await enterConfirmedMode(server);
  await page.goto('/join/7K3Q-MX9R-2DAB');
  await page.getByRole('link', { name: 'Sign up' }).click();
  await createMember(page, server);
  await page.goto('/confirm');
  await expect(page.getByLabel('Code')).toHaveValue('7K3Q-MX9R-2DAB');
  await logOut(page);
  expect(await page.evaluate(() => localStorage.length)).toBe(0);
});

test('the university’s list answers the same for right and wrong values', async ({ page, server }) => {
  await enterConfirmedMode(server);
  await createMember(page, server);
  await page.goto('/confirm');
  await openWay(page, 'Find me on the university’s list');
  await expect(page.getByLabel('Matric number')).toHaveValue('20110294001X');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Send a code to the email address on the list' }).click();
  await expect(page.getByText(/^If the list has an email address/u)).toBeVisible();
  await page.getByLabel('Matric number').fill('');
  await page.getByRole('button', { name: 'Find me' }).click();
  await expect(page.getByLabel('Matric number')).toBeFocused();
  await expect(page.getByLabel('Matric number')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Matric number').fill('99999');
  await page.getByRole('button', { name: 'Find me' }).click();
  await expect(page.getByRole('heading', { name: 'Your request is with the alumni office' })).toBeVisible();
  await expect(page.getByText('If one of them is wrong, change your request.')).toBeVisible();
  await expect(page.getByRole('definition').first()).toHaveText('99999');
  await openWay(page, 'Change my request');
  await page.getByLabel('Matric number').fill('88888');
  await page.getByRole('button', { name: 'Send again' }).click();
  await expect(page.getByRole('definition').first()).toHaveText('88888');
  const steps = page.getByRole('list').filter({ hasText: 'You sent your request' }).getByRole('listitem');
  await expect(steps).toHaveText([/^Done: /u, /^Now: The alumni office compares it/u, /^Next: You get the answer/u]);
  await expectAccessible(page);
  await page.goto('/');
  await page.getByRole('link', { name: 'Next steps' }).click();
  await page.getByRole('button', { name: 'Withdraw my request' }).click();
  await expect(page.getByRole('heading', { name: 'Choose one way' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await openWay(page, 'I have a code');
  await page.getByLabel('Code').fill('7K3Q-MX9R-2DAB');
  await page.getByRole('button', { name: 'Use this code' }).click();
  await expect(page.getByText(/^This code does not work\./u)).toBeVisible();
  await expect(page.getByLabel('Code')).toBeFocused();
  await expect(page.getByLabel('Code')).toHaveValue('7K3Q-MX9R-2DAB');
});

test('two classmates answer by the link and confirm a user', async ({ page, server }) => {
  test.slow();
  const others: { context: BrowserContext; page: Page; uid: string }[] = [];
  for (const number of ['20110294002X', '20110294003X', '20110294004X']) {
    const other = await openOtherBrowser(page, server);
    others.push({ ...other, ...(await createMember(other.page, server, { matricNumber: number })) });
  }
  await enterConfirmedMode(server);
  const { uid, name } = await createMember(page, server);
  await page.goto('/confirm');
  await expect(page.getByText('Opens when three members of your class are confirmed.')).toBeVisible();
  await confirmMembers(
    server,
    others.map((other) => other.uid),
  );
  await page.reload();
  await openWay(page, 'Someone from my class knows me');
  await page.getByRole('button', { name: 'Create a link' }).click();
  await expect(page.getByLabel('Your link')).toBeFocused();
  const link = await page.getByLabel('Your link').inputValue();
  await expectAccessible(page);
  const whatsApp = await page.getByRole('link', { name: 'WhatsApp' }).getAttribute('href');
  expect(whatsApp).toContain(encodeURIComponent(link));
  const [byLink, second, third] = others;
  if (!byLink || !second || !third) throw new Error('There are three other members.');
  const path = new URL(link).pathname;
  await page.goto(path);
  await expect(page.getByText('This is your own link. Send it to people from your class.')).toBeVisible();
  const refusal = /^You can answer once you are confirmed by something other than classmates/u;
  const confirmLink = { name: 'Confirm that you studied here' };
  await server.query(`update accounts set membership_status = 'unconfirmed' where id = $1`, third.uid);
  await third.page.goto(path);
  await expect(third.page.getByText(refusal)).toBeVisible();
  await expect(third.page.getByRole('link', confirmLink)).toHaveCount(1);
  const changeEvidence = (kind: string, assurance: string) =>
    server.query('update evidence set kind = $1, assurance = $2 where account_id = $3', kind, assurance, byLink.uid);
  await changeEvidence('peer-vouch', 'moderate');
  await byLink.page.goto(path);
  await expect(byLink.page.getByText(refusal)).toBeVisible();
  await expect(byLink.page.getByRole('link', confirmLink)).toHaveCount(0);
  await changeEvidence('staff-review', 'strong');
  await checkPage(byLink.page, path, 'Do you know this person?');
  await expect(byLink.page.getByRole('heading', { name })).toBeVisible();
  await expect(
    byLink.page.getByText(/^Did .+ send you this link in a way that makes you sure it is them\?$/u),
  ).toBeVisible();
  await expect(byLink.page.getByText(/^Account created on /u)).toBeVisible();
  await expect(byLink.page.getByRole('button', { name: 'No, it is someone else' })).toBeInViewport({ ratio: 1 });
  await server.query(`update profiles set middle_name = 'Ifeoma' where account_id = $1`, uid);
  await byLink.page.getByRole('button', { name: 'Yes, I am sure' }).click();
  await expect(byLink.page.getByRole('alert')).toHaveText(
    'The name or class has changed since you opened this page. Please look again.',
  );
  await expect(byLink.page.getByRole('heading', { name: 'Ifeoma' })).toBeVisible();
  await expectAccessible(byLink.page);
  await byLink.page.getByRole('button', { name: 'Yes, I am sure' }).click();
  const thanks = byLink.page.getByText('Thank you. Your answer is saved.');
  await expect(thanks).toBeInViewport({ ratio: 1 });
  await expect(byLink.page.locator('main :focus').getByText('Thank you.')).toBeVisible();
  await expectAccessible(byLink.page);
  await expect(byLink.page.getByRole('button', { name: 'I am not sure' })).toBeHidden();
  await byLink.page.getByText('Change my answer').click();
  await expect(byLink.page.getByRole('button', { name: 'Yes, I am sure' })).toHaveAttribute('aria-pressed', 'true');
  await checkPage(second.page, path, 'Do you know this person?');
  await second.page.getByRole('button', { name: 'Yes, I am sure' }).click();
  await expect(second.page.getByText('Thank you. Your answer is saved.')).toBeVisible();
  await page.goto('/confirm');
  await expect(page.getByRole('heading', { name: 'You are a confirmed member' })).toBeVisible();
  for (const { context } of others) await context.close();
});

test('a class representative confirms a classmate after entering the password', async ({ page, server }) => {
  const { uid, name } = await createMember(page, server);
  const representative = await openOtherBrowser(page, server);
  const { uid: voucherId } = await createMember(representative.page, server, { matricNumber: '20110294002X' });
  await enterConfirmedMode(server);
  await confirmMembers(server, [voucherId]);
  await server.query(
    `insert into staff_roles (account_id, role, department, year_from, year_to)
     select account_id, 'class-representative', department, year_graduated, year_graduated from profiles where account_id = $1`,
    voucherId,
  );
  await server.query(
    `insert into authenticators (account_id, secret, confirmed_at) values ($1, '\\x00', now())`,
    voucherId,
  );
  const token = 'representative-link';
  await server.query(
    `insert into vouch_links (account_id, code_hash, expires_at) values ($1, sha256($2::bytea), now() + interval '1 day')`,
    uid,
    token,
  );
  await server.query(`update sessions set authenticated_at = now() - interval '13 hours'`);
  await checkPage(representative.page, `/vouch/${token}`, 'Do you know this person?');
  await expect(representative.page.getByRole('heading', { name })).toBeVisible();
  await representative.page.getByRole('button', { name: 'Yes, I am sure' }).click();
  const dialog = representative.page.getByRole('dialog', { name: 'Confirm your password' });
  await dialog.getByLabel('Current password').fill(password);
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(representative.page.getByText('Thank you. Your answer is saved.')).toBeVisible();
  await page.goto('/confirm');
  await expect(page.getByRole('heading', { name: 'You are a confirmed member' })).toBeVisible();
  await representative.context.close();
});

test('a member withdraws in the settings after entering the password', async ({ page, server }) => {
  await enterConfirmedMode(server);
  const { uid } = await createMember(page, server);
  await confirmMembers(server, [uid]);
  await page.goto('/settings?section=membership');
  await expect(page.getByText('A check by the alumni office')).toBeVisible();
  await server.query(`update sessions set authenticated_at = now() - interval '1 hour'`);
  await page.getByRole('button', { name: 'Withdraw my membership' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('dialog', { name: 'Confirm your password' }).getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: 'You are not a confirmed member' })).toBeVisible();
  await expect(page.getByText('Not confirmed yet: you see what guests see. Only you see your profile.')).toBeVisible();
});

test('a new name waits for the alumni office, and everyone sees it after staff accept it', async ({ page, server }) => {
  await enterConfirmedMode(server);
  const { uid, name } = await createMember(page, server);
  await confirmMembers(server, [uid]);
  const newName = 'Adebayo-Ogunbanjo-Williamson';
  const waiting = page.getByRole('main').getByText(/^Waiting for the alumni office: .*Adebayo-Ogunbanjo-Williamson/u);
  await page.goto('/settings?section=information');
  const lastName = page.getByLabel('Last name');
  const confirmedName = await lastName.inputValue();
  await lastName.fill(newName);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(toast(page, /^Waiting for the alumni office: /u)).toBeVisible();
  await expect(waiting).toBeVisible();
  await expect(lastName).toHaveValue(confirmedName);
  await page.goto('/myprofile');
  await expect(waiting).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
  await expectAccessible(page);
  await page.goto('/myprofile?as=everyone');
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
  await expect(waiting).toHaveCount(0);

  const { page: registrar, context } = await openOtherBrowser(page, server);
  await makeStaff(server, (await createMember(registrar, server)).uid, 'registrar');
  await registrar.goto('/staff/review?kind=change');
  await registrar.getByRole('link', { name: /another name/u }).click();
  const row = registrar.getByRole('row', { name: /^Last name/u });
  await expect(row.getByRole('cell')).toHaveText([confirmedName, newName, '–']);
  await expectAccessible(registrar);
  await registrar.getByRole('button', { name: 'Accept' }).click();
  await expectAccessible(registrar);
  await registrar.getByRole('button', { name: 'Accept' }).first().click();
  await expect(registrar.getByText(/^Accepted: /u).filter({ visible: true })).toBeVisible();
  await carryOutDecisions(server);
  await expect(async () => {
    await page.goto('/myprofile');
    await expect(page.getByRole('heading', { level: 1 })).toContainText(newName, { timeout: 1_000 });
    // A page reads the change before the profile, so one page can have both.
    await expect(waiting).toHaveCount(0, { timeout: 1_000 });
  }).toPass();
  await context.close();
});

test('every page says that a membership is disputed or was refused', async ({ page, server }) => {
  await enterConfirmedMode(server);
  const { uid } = await createMember(page, server);
  for (const [status, text, linkText] of [
    ['disputed', 'Another person says that they are you.', 'Next steps'],
    ['rejected', 'The alumni office could not confirm you.', 'Try again'],
  ] as const) {
    await server.query('update accounts set membership_status = $1 where id = $2', status, uid);
    await page.goto('/');
    await expect(page.getByText(`${text} ${linkText}`)).toBeVisible();
    await page.getByRole('link', { name: linkText }).click();
    await expect(page.getByRole('heading', { level: 1, name: text.slice(0, -1) })).toBeVisible();
    await expect(page.getByText(/^Take your ID card/u)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Choose one way' })).toHaveCount(status === 'rejected' ? 1 : 0);
  }
});

test('the notice of a confirmation leads to a report only after a press', async ({ page, server }) => {
  await enterConfirmedMode(server);
  await page.goto('/not-you?code=unknown');
  await expect(page.getByRole('heading', { name: 'Not you?' })).toBeVisible();
  await page.getByRole('button', { name: 'This is not me' }).click();
  await expect(page.getByText(/^This link does not work\./u)).toBeVisible();
});

test(
  'staff ask a claimant, who answers with a photo that opens once, and then decide',
  { tag: '@release' },
  async ({ page, server }) => {
    await enterConfirmedMode(server);
    const claimant = await createMember(page, server);
    await send(page, 'POST', '/api/membership/claims', { matricNumber: '20110294001X', dob: '1993-04-12' });
    const { page: registrar, context } = await openOtherBrowser(page, server);
    await registrar.setViewportSize({ width: 390, height: 844 });
    await makeStaff(server, (await createMember(registrar, server)).uid, 'registrar');

    await registrar.goto('/staff/review?kind=claim');
    await registrar.getByRole('link', { name: /^Abíọ́dún/u }).click();
    const decision = registrar.getByRole('group', { name: 'Decision' });
    await decision.getByRole('button', { name: 'Ask' }).click();
    await registrar.getByLabel('Question (the claimant reads it)').fill('Can you send your statement of result?');
    await expectAccessible(registrar);
    await registrar.getByRole('button', { name: 'Send the question' }).click();
    await expect(registrar.getByText(/^Question asked, /u).filter({ visible: true })).toHaveCount(1);
    await expect(decision.getByRole('button', { name: 'Ask' })).toHaveCount(0);
    await registrar.getByRole('link', { name: 'Review queue' }).click();
    await expect(registrar.getByRole('link', { name: /Question asked, / })).toBeVisible();
    await registrar.getByLabel('Filter', { exact: true }).click();
    await registrar.getByLabel('Hide claims that wait for the claimant’s answer').check();
    await registrar.getByRole('button', { name: 'Show' }).click();
    await expect(registrar.getByRole('link', { name: /Question asked, / })).toHaveCount(0);

    await followLink(page, server.inbox, claimant.email, 'The alumni office has a question');
    await expect(page.getByRole('heading', { level: 1, name: 'The alumni office has a question' })).toBeVisible();
    await expect(page.getByText('Can you send your statement of result?')).toBeVisible();
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'color-contrast');
    await page.emulateMedia({ colorScheme: 'light' });
    await waitForHydration(page);
    await page.getByLabel('Your answer').fill('Here it is.');
    const file = page.getByLabel('Photo or PDF of a document');
    await file.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') });
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await expect(page.getByText('Choose a photo (JPEG, PNG or WebP) or a PDF of up to 5 MB.')).toBeVisible();
    await expect(page.getByLabel('Your answer')).toHaveValue('Here it is.');
    await file.setInputFiles({ name: 'result.jpg', mimeType: 'image/jpeg', buffer: await photo(3000, 2000) });
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await expect(page.getByText(/^You answered, /u)).toBeVisible();
    await expect(page.getByRole('heading', { level: 1, name: 'Your request is with the alumni office' })).toBeFocused();

    await registrar.goto('/staff/review?kind=claim');
    await registrar.getByRole('link', { name: /Answered, / }).click();
    await expect(registrar.getByText('Here it is.')).toBeVisible();
    await registrar.getByRole('button', { name: 'Open the photo' }).click();
    await expectAccessible(registrar);
    await registrar.getByRole('button', { name: 'Open it once' }).click();
    const picture = registrar.getByRole('img', { name: 'What the claimant sent' });
    await expect(picture).toBeVisible();
    expect(await picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])).toEqual([
      1600, 1067,
    ]);
    await expectAccessible(registrar);
    await expect(registrar.getByRole('button', { name: 'Open the photo' })).toHaveCount(0);
    await registrar.getByRole('button', { name: 'Confirm without an entry' }).click();
    await registrar.getByRole('button', { name: 'Certificate' }).click();
    await expect(registrar.getByText(/^Confirmed: /u).filter({ visible: true })).toBeVisible();
    await carryOutDecisions(server);
    await expect(async () => {
      await page.reload();
      await expect(page.getByRole('heading', { level: 1, name: 'You are a confirmed member' })).toBeVisible({
        timeout: 1_000,
      });
    }).toPass();
    await context.close();
  },
);

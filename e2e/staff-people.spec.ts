import { expectAccessible } from './expect-accessible.ts';
import {
  createMember,
  createName,
  expect,
  fillDate,
  holdRequests,
  openOtherBrowser,
  password,
  send,
  test,
  toast,
  waitForHydration,
} from './fixtures.ts';
import { addEntryWithCode, confirmMembers, enterConfirmedMode } from './confirmed-mode.ts';
import { makeStaff } from './staff-data.ts';

test(
  'staff find a person, give a reason, see a hidden field, and the person reads when and why',
  { tag: '@desk' },
  async ({ page, server }) => {
    const lastName = createName('Hiddenson');
    const { page: person, context } = await openOtherBrowser(page, server);
    const { uid } = await createMember(person, server, {
      firstName: 'Ngozi',
      lastName,
      contactNumber: '+234 809 000 1122',
    });
    await send(person, 'PUT', `/api/users/${uid}/privacy`, { visibility: { contactNumber: 'me' }, version: 'any' });
    const staff = await createMember(page, server);
    await server.query(`insert into staff_roles (account_id, role) values ($1, 'owner')`, staff.uid);
    await server.query(
      `insert into authenticators (account_id, secret, confirmed_at) values ($1, '\\x00', now())`,
      staff.uid,
    );
    await server.query(
      `update sessions set authenticated_at = now() - interval '1 hour' where account_id = $1`,
      staff.uid,
    );

    await page.goto('/staff/people');
    await page.getByLabel('Name, email or matric number').fill(lastName.toLowerCase());
    await page.getByRole('button', { name: 'Search' }).click();
    const found = page.getByRole('list', { name: 'People' }).getByRole('link');
    await expect(found).toHaveCount(1);
    await expect(page.getByText('1 person, newest account first')).toBeVisible();
    await expectAccessible(page);
    await found.click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText(`${lastName} Ngozi`);
    await expect(page.getByText('12 Unity Close')).toBeVisible();
    await expect(page.getByText('+234 809 000 1122')).toHaveCount(0);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Show hidden details' }).click();
    await page.getByLabel('Another reason').check();
    await page.getByRole('button', { name: 'Show details' }).click();
    await expect(page.getByText('Enter a reason')).toBeVisible();
    await page.getByLabel('Your reason').fill('Her bank asks for a letter');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Show details' }).click();
    await page.getByLabel('Current password').fill(password);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByText('+234 809 000 1122')).toBeVisible();
    await expectAccessible(page);

    await person.goto('/settings?section=privacy');
    await expect(person.getByText('The alumni office looked at your hidden details once')).toBeVisible();
    await expect(person.getByText('Her bank asks for a letter')).toBeVisible();

    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
    await expect(toast(page, 'Signed out on all devices')).toBeVisible();

    await page.goto(`/staff/people?q=${lastName}`);
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    await expect(page.getByText('1 person matches')).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toMatch(/^people-\d{4}-\d\d-\d\d-[\da-f]{8}\.csv$/u);
    await expectAccessible(page);
    await context.close();
  },
);

test('the suspension of an account keeps what was typed when the server is unreachable or the password is not entered', async ({
  page,
  server,
}) => {
  const { page: person, context } = await openOtherBrowser(page, server);
  const { uid } = await createMember(person, server);
  const staff = await createMember(page, server);
  await makeStaff(server, staff.uid, 'owner');
  await page.goto(`/staff/people/${uid}`);
  await page.getByRole('button', { name: 'Suspend' }).click();
  const dialog = page.getByRole('dialog', { name: 'Suspend this account?' });
  const message = dialog.getByLabel('Message to the person (optional)');
  await expect(dialog).toContainText(/@\S+ · /u);
  await message.fill('You sold tickets to classmates.');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Suspend' }).click();
  await expect(message).toHaveValue('You sold tickets to classmates.');

  const suspension = `**/api/staff/people/${uid}/suspension`;
  await page.route(suspension, (route) => route.abort());
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await expect(toast(page, 'We could not reach the server')).toBeVisible();
  await expect(message).toHaveValue('You sold tickets to classmates.');

  await page.unroute(suspension);
  await server.query(
    `update sessions set authenticated_at = now() - interval '1 hour' where account_id = $1`,
    staff.uid,
  );
  await dialog.getByRole('button', { name: 'Suspend' }).click();
  const confirmation = page.getByRole('dialog', { name: 'Confirm your password' });
  await confirmation.getByRole('button', { name: 'Cancel' }).click();
  await expect(message).toHaveValue('You sold tickets to classmates.');

  await dialog.getByRole('button', { name: 'Suspend' }).click();
  await confirmation.getByLabel('Current password').fill(password);
  await confirmation.getByRole('button', { name: 'Continue' }).click();
  await expect(toast(page, 'The account is suspended')).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await context.close();
});

test('staff withdraw a confirmation with a reason, which the person reads, and clear the impostor record', async ({
  page,
  server,
}) => {
  await enterConfirmedMode(server);
  const { page: person, context } = await openOtherBrowser(page, server);
  const { uid } = await createMember(person, server);
  await confirmMembers(server, [uid]);
  const staff = await createMember(page, server);
  await makeStaff(server, staff.uid, 'registrar');
  const release = await holdRequests(page, '**/membership-history');
  await page.goto(`/staff/people/${uid}`);
  const history = page.getByRole('region', { name: 'Membership history' });
  await expect(history.getByText('Loading...')).toBeVisible();
  release();
  await expect(history.getByText('Loading...')).toHaveCount(0);
  const reason = 'The certificate belongs to another person.';
  const button = page.getByRole('button', { name: 'Withdraw the confirmation' });
  await button.click();
  const dialog = page.getByRole('dialog', { name: 'Withdraw the confirmation?' });
  await dialog.getByLabel('Reason (the person reads it)').fill(reason);
  await dialog.getByLabel('This person pretended to be someone else').check();
  await expectAccessible(page);
  const request = page.waitForRequest('**/confirmation-withdrawal');
  await dialog.getByRole('button', { name: 'Withdraw the confirmation' }).click();
  expect((await request).postDataJSON()).toEqual({ reason, isImpostor: true });
  await expect(toast(page, 'The confirmation was withdrawn')).toBeVisible();
  await expect(button).toHaveCount(0);
  const membership = page.getByRole('region', { name: 'Membership', exact: true });
  await expect(membership.getByText(/^Staff review/u)).toContainText('(withdrawn)');

  await person.goto('/confirm');
  await expect(person.getByText(reason)).toBeVisible();

  await expect(membership.getByText(/^Since .+, decided by /u)).toBeVisible();
  await page.getByRole('button', { name: 'Clear the impostor record' }).click();
  const clearance = page.getByRole('dialog', { name: 'Clear the impostor record?' });
  await clearance.getByLabel('Reason').selectOption('I have seen a document of the person');
  await expectAccessible(page);
  await clearance.getByRole('button', { name: 'Clear the impostor record' }).click();
  await expect(toast(page, 'The record was cleared')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Clear the impostor record' })).toHaveCount(0);
  await expect(membership.getByText(/^Since .+, decided by /u)).toHaveCount(0);
  await expect(history.getByText(/Marked as an impostor by .+ Cleared on .+: saw a document$/u)).toBeVisible();
  await context.close();
});

test(
  'staff find a person on the roster, print a code for them, and link their account',
  { tag: '@release' },
  async ({ page, server }) => {
    await enterConfirmedMode(server);
    const lastName = createName('Rosterman');
    const { page: person, context } = await openOtherBrowser(page, server);
    const { uid } = await createMember(person, server, { firstName: 'Ngozi', lastName });
    const matricNumber = `ROS/${uid.slice(0, 8)}`.toUpperCase();
    await addEntryWithCode(server, uid, matricNumber.replaceAll(/\W/gu, ''));
    const staff = await createMember(page, server);
    await makeStaff(server, staff.uid, 'registrar');

    await page.goto(`/staff/people?q=${encodeURIComponent(matricNumber.toLowerCase())}`);
    const found = page.getByRole('list', { name: 'On the roster' }).getByRole('link');
    await expect(found).toHaveCount(1);
    await expect(found).toContainText('No account');
    await expectAccessible(page);
    await found.click();
    await expect(page.getByRole('heading', { level: 1 })).toContainText(`${lastName}, Ngozi`);
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Print a code for this person' }).click();
    const who = `${lastName}, Ngozi`;
    await expect(page.getByRole('dialog')).toContainText(who);
    await expect(page.getByRole('dialog')).toContainText(matricNumber.replaceAll(/\W/gu, ''));
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create the code' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save the sheet' }).click();
    expect((await download).suggestedFilename()).toBe('codes.html');

    await page.getByRole('button', { name: 'Has died' }).click();
    await expect(page.getByLabel('What is wrong?')).toHaveValue('deceased');
    await page.getByRole('button', { name: 'Cancel' }).click();

    await page.getByRole('button', { name: 'Link to an account' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link to an account' });
    await expect(dialog).toContainText(who);
    await dialog.getByRole('radio', { name: lastName }).check();
    await dialog.getByLabel('What did you see?').fill('Certificate');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Confirm the account' }).click();
    await expect(toast(page, 'The account is confirmed as this entry')).toBeVisible();
    await page.getByRole('link', { name: lastName }).click();
    await expect(page.getByText('Certificate')).toBeVisible();
    await context.close();
  },
);

test('the list of exports stays while the connection is lost, then shows the new state', async ({ page, server }) => {
  const { uid } = await createMember(page, server);
  await makeStaff(server, uid, 'owner');
  await server.query(
    `insert into people_exports (account_id, filter, columns, people, state) values ($1, '{}', '{last-name}', 120, 'making')`,
    uid,
  );
  await page.clock.install();
  await page.goto('/staff/people/exports');
  await waitForHydration(page);
  await expect(page.getByText('120 people')).toBeVisible();
  await page.route('**/api/staff/exports', (route) => route.abort());
  const failed = page.waitForEvent('requestfailed');
  await page.clock.fastForward(2_000);
  await failed;
  await server.query(`update people_exports set state = 'failed', failure = 'The disk is full.'`);
  await expect(page.getByText('120 people')).toBeVisible();
  await page.unroute('**/api/staff/exports');
  await page.clock.fastForward(2_000);
  await expect(page.getByText('The disk is full.')).toBeVisible();
});

test('the audit log shows reads, downloads, failed requests and timed runs in plain words', async ({
  page,
  server,
}) => {
  const { page: person, context } = await openOtherBrowser(page, server);
  const { uid } = await createMember(person, server);
  await context.close();
  const staff = await createMember(page, server);
  await makeStaff(server, staff.uid, 'owner');
  await page.goto(`/staff/people/${uid}`);
  await expect(page.getByRole('button', { name: 'Show hidden details' })).toBeVisible();
  for (const action of ['claim-read', 'dispute-read', 'export-downloaded'])
    await server.query(`select append_audit_record($1, $2, 'account', $3, '{}')`, staff.uid, action, uid);
  for (const action of ['request-failed', 'request-run-without-approval'])
    await server.query(`select append_audit_record(null, $1, 'account', $2, '{"kind": "roster-undo"}')`, action, uid);
  await page.goto(`/staff/audit-log?subject=${uid}`);
  const records = page.getByRole('list', { name: 'Records' }).getByRole('listitem');
  await expect(records).toContainText([
    'Request run without approval',
    'Request failed',
    'Export downloaded',
    'Dispute read',
    'Claim read',
    'Person file read',
  ]);
  await expect(records.first()).toContainText('On the server');
  await expect(records.first()).toContainText('Kind: roster undo');
  await page.getByLabel('Action').selectOption({ label: 'Person file read' });
  await page.getByRole('main').locator('form').getByRole('button').click();
  await expect(page).toHaveURL(/action=person-file-read/u);
  await expect(records.filter({ hasNotText: 'Person file read' })).toHaveCount(0);
  await expect(records.first()).toContainText('Person file read');
  const from = page.getByRole('group', { name: 'From', exact: true });
  const show = page.getByRole('main').locator('form').getByRole('button');
  await fillDate(from, '2027-02-31');
  await show.click();
  await expect(from).toHaveAccessibleDescription('Enter a date that exists');
  await fillDate(from, '2099-01-02');
  await show.click();
  await expect(page.getByText('No records')).toBeVisible();
  await expect(from.getByLabel('Day')).toHaveValue('2');
});

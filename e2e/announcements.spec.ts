import { expectAccessible } from './expect-accessible.ts';
import { createMember, createName, expect, openOtherBrowser, password, send, test, toast } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

test(
  'staff write an announcement, see it as it arrives, send it, and a member unsubscribes from the email',
  { tag: '@desk' },
  async ({ page, server }) => {
    const department = createName('Geology');
    const { page: reader, context } = await openOtherBrowser(page, server);
    const member = await createMember(reader, server, { firstName: 'Ngozi', lastName: 'Abiola', department });
    const staff = await createMember(page, server);
    await makeStaff(server, staff.uid, 'owner');

    await page.goto('/staff/announcements');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'New announcement' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Untitled draft');
    const id = new URL(page.url()).pathname.split('/').at(-1);
    await page.getByLabel('Subject').fill('The reunion is in May');
    await page
      .getByRole('textbox', { name: 'Text' })
      .fill('We meet at the rock.\n\nMore: https://alumni.example/reunion');
    await expect(page.getByText('Saved as a draft')).toBeVisible();
    // The department is one that members have typed, so it is not in the list of the institution.
    const draft = {
      subject: 'The reunion is in May',
      text: 'We meet at **the rock**.\n\n- Bring a friend\n- More: https://alumni.example/reunion',
    };
    const { version } = (await (await page.request.get(`/api/staff/announcements/${id}`)).json()) as {
      version: number;
    };
    const scope = { college: null, department, yearFrom: null, yearTo: null };
    await send(page, 'PUT', `/api/staff/announcements/${id}`, { ...draft, scope, version });
    await page.reload();
    await expect(page.getByText('1 person gets it')).toBeVisible();
    await expect(page.getByRole('article')).toContainText('Dear Ngozi Abiola,');
    await expect(page.getByRole('article').getByRole('link')).toHaveText('https://alumni.example/reunion');
    await expect(page.getByRole('article').getByRole('strong')).toHaveText('the rock');
    await expect(page.getByRole('article').getByRole('listitem')).toHaveText(['Bring a friend', /^More: /u]);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send a test to me' }).click();
    await expect(toast(page, `A test email to ${staff.email} is on its way`)).toBeVisible();
    await server.inbox.next(staff.email, 'Test: The reunion is in May');

    await page.getByRole('button', { name: 'Send...' }).click();
    await expect(page.getByRole('dialog')).toContainText('cannot be taken back');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Send to 1 person' }).click();
    await expect(toast(page, 'Sending has begun')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Numbers' })).toBeVisible();
    await expectAccessible(page);

    const mail = await server.inbox.next(member.email, 'The reunion is in May');
    const link = /http:\S+\/unsubscribe\?code=\S+/u.exec(mail.text)?.[0] ?? '';
    await reader.context().clearCookies();
    await reader.goto(link);
    await expectAccessible(reader);
    await reader.getByRole('button', { name: 'Unsubscribe' }).click();
    await expect(reader.getByRole('heading', { level: 1 })).toHaveText('You are unsubscribed');
    await expectAccessible(reader);

    await page.goto(`/staff/announcements/${id}`);
    await expect(page.getByRole('term').filter({ hasText: 'Unsubscribed' })).toBeVisible();
    await expect(page.getByRole('definition').nth(4)).toContainText('1');
    await context.close();
  },
);

test('the preview of an announcement fits a phone when recipients have long names', async ({ page, server }) => {
  const name = 'Chukwuemekaobinnaonyekachukwuugochukwuchidiebere';
  const long = await createMember(page, server, { firstName: name, lastName: name, department: 'Hydrology' });
  const staff = await openOtherBrowser(page, server);
  const { uid } = await createMember(staff.page, server, { department: 'Hydrology' });
  await makeStaff(server, uid, 'owner');
  const { id } = (await send(staff.page, 'POST', '/api/staff/announcements', {})) as { id: string };
  const { version } = (await (await staff.page.request.get(`/api/staff/announcements/${id}`)).json()) as {
    version: number;
  };
  const scope = { college: null, department: 'Hydrology', yearFrom: null, yearTo: null };
  await send(staff.page, 'PUT', `/api/staff/announcements/${id}`, { subject: '', text: '', scope, version });
  await staff.page.goto(`/staff/announcements/${id}`);
  await expect(staff.page.getByRole('button', { name: long.name.split(' ')[0] ?? '' })).toBeVisible();
  expect(await staff.page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
  await staff.context.close();
});

test('a draft is kept and saved when the password must be entered again while it is written', async ({
  page,
  server,
}) => {
  const staff = await createMember(page, server);
  await makeStaff(server, staff.uid, 'owner');
  await page.goto('/staff/announcements');
  await page.getByRole('button', { name: 'New announcement' }).click();
  await expect(page.getByText('Saved as a draft')).toBeVisible();
  await server.query(
    `update sessions set authenticated_at = now() - interval '13 hours' where account_id = $1`,
    staff.uid,
  );
  await page.getByLabel('Subject').fill('The reunion is in May');
  await page.getByRole('button', { name: 'Enter your password' }).click();
  await page.getByLabel('Current password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('Saved as a draft')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Subject')).toHaveValue('The reunion is in May');
});

test('an announcement is scheduled, shows its time, and becomes a draft again when it is cancelled @desk', async ({
  page,
  server,
}) => {
  const { uid } = await createMember(page, server);
  await makeStaff(server, uid, 'owner');
  await page.goto('/staff/announcements');
  await page.getByRole('button', { name: 'New announcement' }).click();
  await page.getByLabel('Subject').fill('The reunion is in May');
  await page.getByRole('textbox', { name: 'Text' }).fill('We meet at the rock.');
  await page.getByLabel('Name for replies').fill('Ngozi of the alumni office');
  await page.getByRole('button', { name: 'Send...' }).click();
  const day = new Date(Date.now() + 3 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  await page.getByLabel('Send later').fill(`${day}T09:30`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Schedule' }).click();
  await expect(toast(page, 'Scheduled')).toBeVisible();
  const time = page.getByText('It will be sent on').getByRole('time');
  const local = await page.evaluate((typed) => new Date(typed).toISOString(), `${day}T09:30`);
  await expect(time).toHaveAttribute('datetime', local);
  await expect(time).toContainText('09:30');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Cancel the sending and edit' }).click();
  await expect(page.getByLabel('Name for replies')).toHaveValue('Ngozi of the alumni office');
});

test('a class representative writes only to their own class', async ({ page, server }) => {
  const department = createName('Geology');
  const { uid } = await createMember(page, server, { department, yearGraduated: 2015 });
  await makeStaff(server, uid, 'class-representative', { department, year: 2015 });
  await page.goto('/staff/announcements');
  await page.getByRole('button', { name: 'New announcement' }).click();
  await expect(page.getByLabel('Recipients').getByRole('option')).toHaveText([`${department}, class of 2015`]);
  await expect(page.getByLabel(/College|year of graduation/u)).toHaveCount(0);
  await expect(page.getByText('1 person gets it')).toBeVisible();
  await expectAccessible(page);
});

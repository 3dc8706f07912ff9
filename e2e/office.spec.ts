import { expectAccessible } from './expect-accessible.ts';
import { createMember, expect, fillDate, test, toast } from './fixtures.ts';
import { makeStaff } from './staff-data.ts';

test('an owner approves and refuses the requests of another owner, and sees who decided and why one failed', async ({
  page,
  server,
}) => {
  const requester = await createMember(page, server);
  const ben = await createMember(page, server);
  const owner = await createMember(page, server);
  await makeStaff(server, requester.uid, 'owner');
  await makeStaff(server, owner.uid, 'owner');
  const request = (kind: string, payload: object, minutesAgo: number) =>
    server.query(
      `insert into approvals (kind, payload, people, requested_by, requested_at)
       values ($1, $2, 1, $3, now() - make_interval(mins => $4::int))`,
      kind,
      JSON.stringify(payload),
      requester.uid,
      minutesAgo,
    );
  await request('owner-role', { accountId: ben.uid, lastDay: null }, 3);
  await request('roster-apply', { importId: 0 }, 2);
  await request('roster-undo', { importId: 0 }, 1);
  await page.goto('/staff/approvals');
  const waiting = page.getByRole('list', { name: 'Waiting requests' });
  await expect(waiting.getByText(ben.email)).toBeVisible();
  await expectAccessible(page);
  const decide = async (name: RegExp, done: string) => {
    await page.getByRole('button', { name }).press('Enter');
    await expect(toast(page, done)).toBeVisible();
  };
  await decide(/^Approve ?: Give/u, 'Approved. It runs now');
  await decide(/^Approve ?: Apply/u, 'Approved. It runs now');
  await decide(/^Refuse ?: Undo/u, 'Refused');
  await expect(page.getByText('No requests are waiting')).toBeVisible();
  const decided = page.getByRole('list', { name: 'Decided requests' }).getByRole('listitem');
  await expect(async () => {
    await page.reload();
    await expect(decided.filter({ hasText: 'Give' })).toContainText(`approved by ${owner.email}`, { timeout: 1_000 });
    await expect(decided.filter({ hasText: 'Give' })).toContainText('Done', { timeout: 1_000 });
    await expect(decided.filter({ hasText: 'Apply' })).toContainText('Failed', { timeout: 1_000 });
  }).toPass();
  await expect(decided.filter({ hasText: 'Apply' })).toContainText(`approved by ${owner.email} · The file was`);
  await expect(decided.filter({ hasText: 'Undo' })).toContainText(`refused by ${owner.email}`);
  await expectAccessible(page);
});

test('adding staff shows errors at their fields and keeps what was typed', async ({ page, server }) => {
  const ben = await createMember(page, server);
  const owner = await createMember(page, server);
  await makeStaff(server, owner.uid, 'owner');
  await page.goto('/staff/roles');
  const address = page.getByLabel('Email address');
  await address.fill(ben.email);
  await page.getByLabel('Role', { exact: true }).selectOption('Moderator');
  const lastDay = page.getByRole('group', { name: 'Last day' });
  await fillDate(lastDay, '2027-02-31');
  const add = page.getByRole('button', { name: 'Add staff' });
  await add.click();
  await expect(lastDay).toHaveAccessibleDescription(/Enter a date that exists/u);
  await fillDate(lastDay, '2001-01-01');
  await add.click();
  await expect(lastDay).toHaveAccessibleDescription(/in the past/u);
  await expect(address).toHaveValue(ben.email);
  await expect(page.getByLabel('Role', { exact: true })).toHaveValue('moderator');
  await expectAccessible(page);
  await fillDate(lastDay, '2099-01-01');
  await add.click();
  await expect(toast(page, `${ben.email} now has the role moderator`)).toBeVisible();
  await expect(lastDay.getByLabel('Year')).toHaveValue('');
  await page.getByRole('button', { name: `Change ${ben.email}, Moderator` }).click();
  await expect(page.getByRole('heading', { name: `Change the role of ${ben.email}` })).toBeVisible();
  await expect(lastDay.getByLabel('Year')).toHaveValue('2099');
  await page.getByLabel('Role', { exact: true }).selectOption('Registrar');
  await page.getByLabel('Part of the institution').selectOption('COSIT');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Change the role' }).click();
  await expect(toast(page, `${ben.email} now has the role registrar`)).toBeVisible();
  const row = page.getByRole('list', { name: 'Roles' }).getByRole('listitem').filter({ hasText: ben.email });
  await expect(row).toHaveText(/Registrar · COSIT/u);
  await expect(page.getByRole('button', { name: 'Add staff' })).toBeVisible();
});

test('an owner invites an address without an account, and withdraws it @desk', async ({ page, server }) => {
  const owner = await createMember(page, server);
  await makeStaff(server, owner.uid, 'owner');
  await page.goto('/staff/roles');
  for (const role of ['Registrar', 'Moderator']) {
    await page.getByLabel('Email address').fill('New.Colleague@mail.example');
    await page.getByLabel('Role', { exact: true }).selectOption(role);
    await page.getByRole('button', { name: 'Add staff' }).click();
    await expect(toast(page, 'New.Colleague@mail.example is invited by email').last()).toBeVisible();
  }
  const invitations = page.getByRole('list', { name: 'Staff invitations' }).getByRole('listitem');
  await expect(invitations).toHaveText([/Moderator · .* invited by .* until/u, /Registrar · .* invited by .* until/u]);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Withdraw new.colleague@mail.example, Registrar' }).click();
  await expect(toast(page, 'The invitation of new.colleague@mail.example is withdrawn')).toBeVisible();
  await expect(invitations).toHaveCount(1);
});

test.describe('in the time zone of India', () => {
  test.use({ timezoneId: 'Asia/Kolkata' });

  test('the console shows times in the zone of the reader, and in UTC without JavaScript', async ({ page, server }) => {
    const requester = await createMember(page, server);
    const owner = await createMember(page, server);
    await makeStaff(server, owner.uid, 'owner');
    await server.query(
      `insert into approvals (kind, payload, people, requested_by, runs_at)
       values ('roster-undo', '{"importId": 0}', 1, $1, '2099-01-15 23:30Z')`,
      requester.uid,
    );
    await page.goto('/staff/approvals');
    await expect(page.getByText('runs on').getByRole('time').last()).toHaveText('16 Jan 2099, 05:00 GMT+5:30');
    const html = await (await page.request.get('/staff/approvals', { headers: { accept: 'text/html' } })).text();
    expect(html).toContain('>15 Jan 2099, 23:30 UTC</time>');
  });
});

test.describe('in the time zone of Lagos', () => {
  test.use({ timezoneId: 'Africa/Lagos' });

  test('the audit log is filtered by day in the time zone of the browser, or in UTC without JavaScript', async ({
    page,
    server,
  }) => {
    const owner = await createMember(page, server);
    await makeStaff(server, owner.uid, 'owner');
    await server.query(
      `insert into audit_records select coalesce(max(id), 0) + 1, '2031-05-10 23:30Z', null, 'role-granted', 'account', $1, '{}', '' from audit_records`,
      owner.uid,
    );
    await page.goto(`/staff/audit-log?subject=${owner.uid}`);
    const days = (['From', 'To'] as const).map((name) => page.getByRole('group', { name, exact: true }));
    const filterBy = async (day: string) => {
      for (const group of days) await fillDate(group, day);
      await page.getByRole('button', { name: 'Show', exact: true }).click();
    };
    const record = page.getByRole('list', { name: 'Records' }).getByText('Role granted');
    await filterBy('2031-05-11');
    await expect(page).toHaveURL(/to=/u);
    await expect(record).toBeVisible();
    await page.reload();
    for (const group of days) await expect(group.getByLabel('Day')).toHaveValue('11');
    await filterBy('2031-05-10');
    await expect(page.getByText('No records')).toBeVisible();
    const readOnServer = async (day: number) => {
      const date = (name: string) => `${name}-day=${day}&${name}-month=5&${name}-year=2031`;
      const url = `/staff/audit-log?subject=${owner.uid}&${date('from')}&${date('to')}`;
      return (await page.request.get(url, { headers: { accept: 'text/html' } })).text();
    };
    expect(await readOnServer(10)).toContain('10 May 2031, 23:30 UTC');
    const next = await readOnServer(11);
    expect(next).toContain('No records');
    expect(next).toContain('From (UTC)');
  });
});

test(
  'toasts cover no button of a staff page (one on phones, three on desktops)',
  { tag: ['@both', '@release'] },
  async ({ page, server, isMobile }) => {
    const requester = await createMember(page, server);
    const owner = await createMember(page, server);
    await makeStaff(server, requester.uid, 'owner');
    await makeStaff(server, owner.uid, 'owner');
    for (const kind of ['roster-apply', 'roster-undo'])
      await server.query(
        `insert into approvals (kind, payload, people, requested_by, requested_at) values ($1, '{"importId":0}', 1, $2, now())`,
        kind,
        requester.uid,
      );
    await page.goto('/staff/approvals');
    await page.getByRole('button', { name: /^Refuse ?: Undo/u }).press('Enter');
    const message = toast(page, 'Refused');
    await expect(message).toBeVisible();
    await message.hover();
    await expect.poll(async () => (await message.boundingBox())?.x).toBe(isMobile ? 12 : 1048);
    const place = await message.boundingBox();
    if (!place) throw new Error('The toast is not visible.');
    if (!isMobile) place.height *= 3;
    const findCovered = () =>
      page.locator('main :is(button, .button)').evaluateAll(
        (buttons, { x, y, width, height }) =>
          buttons
            .filter((button) => {
              const box = button.getBoundingClientRect();
              return box.left < x + width && box.right > x && box.top < y + height && box.bottom > y;
            })
            .map((button) => button.textContent),
        place,
      );
    await expect(page.getByRole('button', { name: /^Approve ?: Apply/u })).toBeVisible();
    expect(await findCovered()).toEqual([]);
    for (const name of ['roles', 'people', 'coverage', 'announcements']) {
      await page.goto(`/staff/${name}`);
      expect(await findCovered()).toEqual([]);
    }
    await page.getByRole('button', { name: 'New announcement' }).click();
    await expect(page.getByRole('button', { name: 'Delete draft' })).toBeVisible();
    expect(await findCovered()).not.toContain('Delete draft');
  },
);

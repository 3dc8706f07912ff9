import { addEntryWithCode, confirmMembers, enterConfirmedMode } from './confirmed-mode.ts';
import { createMember, test } from './fixtures.ts';
import { makeStaff, seedClaims } from './staff-data.ts';
import { paintPicture, takeOn } from './take-pictures.ts';
import type { TestServer } from './test-server.ts';

test('takes the pictures of confirmed membership', { tag: '@both' }, async ({ page, server, browserConsole }, info) => {
  browserConsole.allow(/./u);
  const take = takeOn(page, info);
  const go = async (path: string, name: string) => {
    await page.goto(path);
    await take(name);
  };
  await enterConfirmedMode(server);
  await go('/join/7K3Q-MX9R-2DAB', 'join-guest');
  const names = { firstName: 'Oluwatimilehin', middleName: 'Ayòmipòsi', lastName: 'Adéwùmí-Ògúndélé' };
  const { uid } = await createMember(page, server, { ...names, imgURL: await paintPicture(12) });
  const setAccount = (sql: string) => server.query(`update accounts set ${sql} where id = $1`, uid);
  await go('/', 'unconfirmed-dashboard');
  await go('/myprofile', 'unconfirmed-profile');
  await go('/join', 'join-type');
  await go('/join/7K3Q-MX9R-2DAB', 'join-signed-in');
  await page.getByRole('button', { name: 'Use this code' }).click();
  await page.getByText('This code does not work.').waitFor();
  await take('join-wrong');
  await go('/confirm', 'confirm');
  await page.locator('summary').nth(1).click();
  await take('confirm-list');
  const { items } = (await (
    await page.request.get('/api/users?department=Computer+Science&graduatedFrom=2015&graduatedTo=2015')
  ).json()) as { items: { id: string }[] };
  await confirmMembers(
    server,
    items.slice(0, 4).map(({ id }) => id),
  );
  await page.goto('/confirm');
  await page.locator('summary').nth(2).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.getByLabel('Your link').waitFor();
  await take('confirm-link');
  const link = await page.getByLabel('Your link').inputValue();
  await page.locator('summary').nth(1).click();
  await page.getByRole('button', { name: 'Find me' }).click();
  await page.getByRole('button', { name: 'Withdraw my request' }).waitFor();
  await take('confirm-waiting');
  await go('/', 'waiting-dashboard');
  await server.query(
    `update claims set state = 'rejected', decided_at = now(), reason = 'The birth date is not the one in our books. Please bring your statement of result.'`,
  );
  await setAccount(`membership_status = 'rejected'`);
  await go('/confirm', 'confirm-rejected');
  await setAccount(`membership_status = 'disputed'`);
  await go('/confirm', 'confirm-disputed');
  await setAccount(`membership_status = 'unconfirmed', confirm_by = now() + interval '90 days'`);
  await go('/confirm', 'confirm-grace');
  await go('/', 'grace-dashboard');
  await setAccount('confirm_by = null');
  const code = await addEntryWithCode(server, uid, '20110294001X');
  await go(`/join/${code}`, 'join-code');
  await page.getByRole('button', { name: 'Use this code' }).click();
  await page.getByRole('heading', { name: 'You are a confirmed member' }).waitFor();
  await take('confirmed');
  await go('/settings?section=membership', 'settings-membership');
  await go('/not-you?code=abc', 'not-you');

  // A member of the class who may answer.
  await setAccount(`membership_status = 'unconfirmed', confirmed_at = null`);
  await page.context().clearCookies();
  const voucher = await createMember(page, server, {
    firstName: 'Ngozi',
    matricNumber: '20110294002X',
    imgURL: await paintPicture(13),
  });
  await go(new URL(link).pathname, 'vouch-refused');
  await confirmMembers(server, [voucher.uid]);
  await go(new URL(link).pathname, 'vouch');
  await page.getByRole('button', { name: 'Yes, I am sure' }).click();
  await page.getByText('Thank you.').waitFor();
  await take('vouch-answered');
});

async function seedRoster(server: TestServer): Promise<void> {
  await server.query(
    `insert into roster_entries (matric_key, matric_number, last_name, first_name, other_names, birth_date, college, department,
       year_admitted, year_graduated, words, first_import, last_import)
     select upper(regexp_replace(number, '\\W', '', 'g')), number, last_name, first_name, '', dob, college, department,
       year_admitted, year_graduated, '{}', 1, 1
     from profiles cross join lateral (
       select matric_number as number union all select matric_number || 'R' || n from generate_series(1, hashtext(matric_number) & 3) n) e
     on conflict do nothing`,
  );
  await server.query(
    `insert into evidence (account_id, kind, assurance, created_at)
     select account_id, 'printed-code', 'strong', now() - interval '1 month' from profiles
     where hashtext(account_id::text) % 10 <> 0`,
  );
  await server.query(
    `update accounts set membership_status = 'confirmed', confirmed_at = now() - interval '1 month'
     where id in (select account_id from evidence)`,
  );
}

test(
  'takes the pictures of the staff console',
  { tag: '@both' },
  async ({ page, server, isMobile, browserConsole }, info) => {
    browserConsole.allow(/./u);
    const take = takeOn(page, info);
    const go = async (path: string, name: string, options = {}) => {
      await page.goto(path);
      await take(name, options);
    };
    const onDesk = { forReadme: !isMobile };
    await enterConfirmedMode(server);
    const { uid } = await createMember(page, server, {
      firstName: 'Ngozi',
      lastName: 'Eze',
      imgURL: await paintPicture(13),
    });
    await seedRoster(server);
    await makeStaff(server, uid, 'owner');
    await seedClaims(server, [
      {
        firstName: 'Oluwatimilehin',
        lastName: 'Adeyemi-Ogundele',
        matricNumber: '2011/CS/0417',
        note: 'I changed my name when I married. I can bring the certificate on Thursday.',
        entries: [
          { last_name: 'Adeyemi', first_name: 'Oluwatimileyin', matric_number: '2011/CS/0471' },
          { first_name: 'Oluwaseun', matric_number: '2011/CS/0418' },
        ],
      },
      { firstName: 'Chinedu', lastName: 'Okafor', matricNumber: '2011/CS/0502' },
      { firstName: 'Halima', lastName: 'Bello', matricNumber: '2011/CS/0119' },
      { firstName: 'Tunde', lastName: 'Bakare', matricNumber: '2011/CS/0233' },
    ]);
    // These entries would be candidates of the first claim.
    await server.query(`delete from roster_entries where matric_number ~ '^2011/CS/0[125]|^20110294'`);
    await server.query(
      `insert into reports (kind, subject_id, reason, text, reporter_id, created_at)
         select 'profile', account_id, 'not-this-person', 'I shared a room with the real one. The years are wrong.', $1, now() - interval '5 hours'
         from profiles where picture is not null and account_id <> $1 order by account_id limit 1`,
      uid,
    );
    await go('/staff/review', 'staff-queue', { forReadme: isMobile });
    await page.getByRole('link', { name: /Adeyemi-Ogundele/u }).click();
    await page.getByText('I changed my name').waitFor();
    await take('staff-claim', onDesk);
    await page.goto('/staff/review?kind=report');
    await page.getByRole('link', { name: /pretends to be/u }).click();
    await page.getByText('The years are wrong').first().waitFor();
    await take('staff-report', onDesk);
    await go('/staff/people?state=confirmed', 'staff-people', onDesk);
    await go('/staff/coverage', 'staff-coverage', onDesk);
    await go('/staff/announcements', 'staff-announcements');
    for (const name of ['roster', 'codes', 'reports', 'approvals', 'roles', 'audit-log'])
      await go(`/staff/${name}`, `staff-${name}`);
    await server.query('delete from reports');
  },
);

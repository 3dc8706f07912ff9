import type { Locator, Page } from '@playwright/test';
import { stepAnswers, completeProfile, expect, followLink, createAddress, signUp, test, toast } from './fixtures.ts';

test(
  'a new user signs up, verifies the address, completes a profile and browses the department',
  {
    tag: [
      '@both',
      '@spec-1.1',
      '@spec-1.4',
      '@spec-1.5',
      '@spec-1.9',
      '@spec-2.1',
      '@spec-2.3',
      '@spec-2.13',
      '@spec-2.15',
      '@spec-2.16',
      '@spec-2.17',
      '@spec-2.25',
      '@spec-2.26',
      '@spec-2.31',
      '@spec-2.37',
      '@spec-2.51',
      '@spec-2.52',
      '@spec-3.2',
      '@spec-3.3',
      '@spec-3.4',
      '@spec-3.5',
      '@spec-3.6',
      '@spec-3.7',
      '@spec-3.8',
      '@spec-3.9',
      '@spec-3.10',
      '@spec-3.16',
      '@spec-3.28',
      '@spec-3.29',
      '@spec-4.1',
      '@spec-4.2',
      '@spec-4.3',
      '@spec-4.4',
      '@spec-4.20',
      '@spec-8.4',
      '@spec-8.12',
    ],
  },
  async ({ page, server }) => {
    const email = createAddress();
    await test.step('sign up', async () => {
      await signUp(page, email);
      await expect(toast(page, /^Signed up successfully$/u)).toBeVisible();
      await expect(page.getByText(`We sent a verification link to ${email}`)).toBeVisible();
    });

    await test.step('verify the address with the emailed link', async () => {
      await followLink(page, server.inbox, email, 'Verify your email address');
      await expect(page).toHaveURL(/\/verify-email-address\?actionCode=/u);
      await expect(page.getByRole('heading', { name: 'Congratulations!' })).toBeVisible();
      await page.getByRole('button', { name: 'Continue' }).click();
      await expect(page).toHaveURL('/onboarding');
    });

    await test.step('complete the five steps', async () => {
      await completeProfile(page);
      await expect(toast(page, /^Data successfully saved$/u)).toBeVisible();
    });

    await test.step('see the own department', async () => {
      await expect(page.getByRole('heading', { name: 'View all students in your department' })).toBeVisible();
      await expect(page.getByText(/^\d+ shown in Computer Science$/u)).toBeVisible();
      const own = await ownCard(page);
      await expect(own).toContainText('OUE');
      await expect(own).toContainText('2015');
      await expect(own).toContainText('Alum');
      // The first eleven characters of the matric number.
      await expect(own).toContainText('20110294001');
      await expect(own).not.toContainText('20110294001X');
    });

    await test.step('look at the own profile, with all fields', async () => {
      await (await ownCard(page)).click();
      await expect(page).toHaveURL(/\/user\/[\w-]{36}$/u);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('Ọládélé Chidi Abíọ́dún');
      const main = page.getByRole('main');
      for (const [label, value] of [
        ['Department', 'Computer Science'],
        ['Program', String.raw`B\.Sc`],
        ['College', 'COSIT'],
        ['Year admitted', '2011'],
        ['Year graduated', '2015'],
        ['Matric number', '20110294001X'],
        ['Gender', 'male'],
        // The profile shows day and month of birth, never the year.
        ['Birthday', '12/4'],
        ['Contact number', String.raw`\+234 801 234 5678`],
        ['Email', email],
        ['Home address', '12 Unity Close, Abẹ́òkúta'],
        ['X', 'olaabi'],
        ['Facebook', String.raw`ola\.abi`],
        ['LinkedIn', 'ola-abi'],
      ])
        await expect(
          main.locator('dl > div').filter({ hasText: new RegExp(`^${label}${value}(?![-./\\w])`, 'u') }),
        ).toHaveCount(1);
      const about = main.locator('section', { has: page.getByRole('heading', { name: 'About' }) });
      await expect(about.getByRole('paragraph')).toHaveText([
        /^Teacher in Lagos/u,
        /^I teach\.\s+And I play chess\./u,
        /^Interests: Chess/u,
      ]);
      await expect(main).toContainText('mr.');
      await expect(main).not.toContainText('1993');
      expect(Object.keys(stepAnswers[3] ?? {})).toHaveLength(6);
      await expect(page.getByRole('img', { name: /Portrait of/u })).toBeVisible();
    });
  },
);

async function ownCard(page: Page): Promise<Locator> {
  const answer = await page.request.get('/api/identity/session');
  const { user } = (await answer.json()) as { user: { uid: string } };
  return page.locator(`main a[href="/user/${user.uid}"]`);
}

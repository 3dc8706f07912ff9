import type { Page } from '@playwright/test';
import { findLink } from '#server/testing/inbox.ts';
import { expectAccessible } from './expect-accessible.ts';
import { expect, createMember, openOtherBrowser, send, test, toast } from './fixtures.ts';

/* Members write to each other. No email address is visible unless its owner shares it. */

interface Person {
  readonly uid: string;
  readonly email: string;
  readonly name: string;
}

const subject = /wrote to you in the alumni archive$/u;

const writeTo = (page: Page) => page.getByRole('button', { name: 'Write a message' });
const formFor = (page: Page, { name }: Person) => page.getByRole('dialog', { name: `Write to ${name}` });
const notAcceptingMessages = (page: Page) => page.getByText('This person does not accept messages.');

test('two members exchange messages without seeing an address that was not shared', async ({ page, server }) => {
  const ada = await createMember(page, server, { firstName: 'Ada' });
  const other = await openOtherBrowser(page, server);
  const ben = await createMember(other.page, server, { firstName: 'Ben' });

  await test.step('a member writes from a profile and sees a preview', async () => {
    await page.goto(`/user/${ben.uid}`);
    await writeTo(page).click();
    const form = formFor(page, ben);
    await expect(form.getByLabel('Message')).toBeFocused();
    await expect(form).toContainText('but your profile shows it to members. You can change this');
    await expect(form).toContainText('Their profile shows you their email address.');
    await form.getByRole('button', { name: 'Send' }).click();
    await expect(form.getByText('Field cannot be empty')).toBeVisible();
    await form.getByLabel('Message').fill('Are you coming to the reunion?');
    await expect(form.getByText('30 of 2,000 characters')).toBeVisible();
    await form.getByRole('button', { name: 'Send' }).click();
    await expect(toast(page, `Your message to ${ben.name} was sent`)).toBeVisible();
    await expect(form).toHaveCount(0);
    await expect(writeTo(page)).toBeFocused();
  });

  await test.step('the dialog and the list of messages say that the member has written', async () => {
    await writeTo(page).click();
    await expect(formFor(page, ben)).toContainText('You last wrote to them on');
    await page.keyboard.press('Escape');
    await page.goto('/notification');
    await page.getByRole('link', { name: 'Messages you sent and received' }).click();
    await expect(page.getByRole('listitem').filter({ hasText: ben.name })).toContainText('You wrote');
    await page.getByRole('link', { name: ben.name }).click();
    await expect(page).toHaveURL(`/user/${ben.uid}`);
  });

  await test.step('the recipient gets an email with a reply link and without an address', async () => {
    const mail = await server.inbox.next(ben.email, subject);
    expect(mail.text).toContain(`Name on their profile: ${ada.name}`);
    expect(mail.text).toContain('> Are you coming to the reunion?');
    expect(mail.raw + mail.text + mail.html).not.toContain(ada.email);
    const { pathname, search } = findLink(mail);
    await other.page.goto(pathname + search);
  });

  await test.step('the reply link opens the form, and the reply shares the address', async () => {
    const form = formFor(other.page, ada);
    await form.getByLabel('Message').fill('Yes!');
    await form.getByLabel('Show my email address so that they can reply directly').check();
    await expect(form).toContainText(`and your email address, ${ben.email}`);
    await form.getByRole('button', { name: 'Send' }).click();
    await expect(toast(other.page, 'was sent')).toBeVisible();
    await expect(other.page).toHaveURL(`/user/${ada.uid}`);
    await expect(writeTo(other.page)).toBeFocused();
    const mail = await server.inbox.next(ada.email, subject);
    expect(mail.replyTo).toBe(ben.email);
  });
  await other.context.close();
});

test('a blocked member only sees that messages are not accepted, until unblocked', async ({ page, server }) => {
  const ada = await createMember(page, server, { firstName: 'Ada' });
  const other = await openOtherBrowser(page, server);
  const eve = await createMember(other.page, server, { firstName: 'Eve' });
  await other.page.goto(`/user/${ada.uid}`);
  await expect(writeTo(other.page)).toBeVisible();

  await page.goto(`/user/${eve.uid}`);
  await page.getByRole('button', { name: 'Block this person' }).click();
  const question = page.getByRole('dialog', { name: `Block ${eve.name}?` });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('button', { name: 'Block this person' })).toBeFocused();
  await page.getByRole('button', { name: 'Block this person' }).click();
  await question.getByRole('button', { name: 'Block', exact: true }).click();
  await expect(page.getByText(`You have blocked ${eve.name}.`)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Unblock' })).toBeFocused();
  await expect(writeTo(page)).toHaveCount(0);

  await test.step('a message from an open page is rejected and the input kept', async () => {
    await writeTo(other.page).click();
    const form = formFor(other.page, ada);
    await form.getByLabel('Message').fill('Why do you not answer?');
    await form.getByRole('button', { name: 'Send' }).click();
    await expect(form.getByRole('alert')).toHaveText('This person does not accept messages.');
    await expect(form.getByLabel('Message')).toHaveValue('Why do you not answer?');
    await form.getByRole('button', { name: 'Cancel' }).click();
    await expect(notAcceptingMessages(other.page)).toBeVisible();
    const blocked = await other.page.getByRole('main').innerText();
    await page.goto('/settings?section=privacy');
    await page.getByRole('button', { name: `Unblock ${eve.name}` }).click();
    await expect(toast(page, `${eve.name} is no longer blocked`)).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Messages' })).toBeFocused();
    await page.getByLabel('Members can write to me').uncheck();
    await expect
      .poll(async () => (await page.request.get('/api/contact/choices')).json())
      .toMatchObject({ takesMessages: false });
    await other.page.reload();
    await expect(notAcceptingMessages(other.page)).toBeVisible();
    expect(await other.page.getByRole('main').innerText()).toBe(blocked);
  });

  await page.reload();
  await expect(page.getByLabel('Members can write to me')).not.toBeChecked();
  await page.getByLabel('Members can write to me').check();
  await expect(page.getByText('Blocked people', { exact: true })).toHaveCount(0);
  await expect
    .poll(async () => {
      await other.page.reload();
      return writeTo(other.page).isVisible();
    })
    .toBe(true);
  expect(server.inbox.to(ada.email).filter((mail) => subject.test(mail.subject))).toEqual([]);
  await other.context.close();
});

test('the message form keeps the text when the input is invalid, the browser is offline, or the daily limit is reached', async ({
  page,
  server,
}) => {
  const ben = await createMember(page, server, { firstName: 'Ben' });
  await createMember(page, server);
  const form = formFor(page, ben);
  const text = form.getByLabel('Message');
  await page.goto(`/user/${ben.uid}`);
  await writeTo(page).click();
  await text.fill('A long story');
  await page.keyboard.press('Escape');
  await expect(form).toHaveCount(0);
  await writeTo(page).click();
  await expect(text).toHaveValue('A long story');

  await page.route('**/api/users/*/messages', (route) => route.abort());
  await form.getByRole('button', { name: 'Send' }).click();
  await expect(form.getByRole('alert')).toContainText('We could not reach the server');
  await expect(text).toHaveValue('A long story');
  await page.unroute('**/api/users/*/messages');

  for (let sent = 0; sent < 3; sent++) {
    await send(page, 'POST', `/api/users/${ben.uid}/messages`, { text: 'Hello', shareEmail: false });
  }
  await form.getByRole('button', { name: 'Send' }).click();
  await expect(form.getByRole('alert')).toHaveText(/^This message cannot be sent right now. Try again in 24 hours/u);
  await expect(text).toHaveValue('A long story');

  await text.fill('x'.repeat(2001));
  await form.getByRole('button', { name: 'Send' }).click();
  await expect(form.getByText('Use at most 2000 characters')).toBeVisible();
  await expect(text).toBeFocused();
});

test('a recipient reports a message with the emailed link, without signing in', async ({ page, server }) => {
  const ben = await createMember(page, server, { firstName: 'Ben' });
  await createMember(page, server);
  await send(page, 'POST', `/api/users/${ben.uid}/messages`, { text: 'Send me your code', shareEmail: false });
  const mail = await server.inbox.next(ben.email, subject);
  const [link = ''] = /http\S+\/report\?code=\S+/u.exec(mail.text) ?? [];

  const guest = await openOtherBrowser(page, server);
  const { pathname, search } = new URL(link);
  await guest.page.goto(pathname + search);
  await expect(guest.page.getByRole('heading', { name: 'Report a message' })).toBeVisible();
  await guest.page.getByLabel('Reason').selectOption({ label: 'It asks for a password, a code or money' });
  await guest.page.getByLabel('Message (optional)').fill('Send me your code');
  await expectAccessible(guest.page);
  await guest.page.getByRole('button', { name: 'Send report' }).click();
  await expect(guest.page.getByText('Your report was sent.')).toBeVisible();
  await expectAccessible(guest.page);
  await guest.page.goto('/report?code=nonsense');
  await expect(guest.page.getByText('This link cannot be used.')).toBeVisible();
  await expectAccessible(guest.page);
  await guest.context.close();
});

test(
  'writing a message and blocking a member work with the keyboard alone',
  { tag: '@desk' },
  async ({ page, server }) => {
    const ben = await createMember(page, server, { firstName: 'Ben' });
    await createMember(page, server);
    await page.goto(`/user/${ben.uid}`);
    const write = writeTo(page);
    await expect(write).toBeVisible();
    const tabTo = async (isThere: () => Promise<boolean>) => {
      for (let presses = 0; !(await isThere()); presses++) {
        expect(presses, 'Tab reaches the control').toBeLessThan(80);
        await page.keyboard.press('Tab');
      }
    };
    const isFocused = (target: ReturnType<Page['getByRole']>) => () =>
      target.evaluate((element) => element === document.activeElement);
    await tabTo(isFocused(write));
    await page.keyboard.press('Enter');
    const form = formFor(page, ben);
    await expect(form.getByLabel('Message')).toBeFocused();
    await page.keyboard.type('Written by key');
    await tabTo(isFocused(form.getByRole('checkbox')));
    await page.keyboard.press('Space');
    await expect(form).toContainText('and your email address, ');
    await tabTo(isFocused(form.getByRole('button', { name: 'Send' })));
    await page.keyboard.press('Enter');
    await expect(toast(page, 'was sent')).toBeVisible();
    await expect(write).toBeFocused();
    expect((await server.inbox.next(ben.email, subject)).text).toContain('> Written by key');

    await tabTo(isFocused(page.getByRole('button', { name: 'Block this person' })));
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: `Block ${ben.name}?` });
    await expect(question).toBeVisible();
    await tabTo(isFocused(question.getByRole('button', { name: 'Block', exact: true })));
    await page.keyboard.press('Enter');
    const unblock = page.getByRole('button', { name: 'Unblock' });
    await expect(unblock).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(write).toBeFocused();
  },
);

test('a guest cannot write messages, and an emailed link opens the message form after sign-in', async ({
  page,
  server,
}) => {
  const ada = await createMember(page, server, { firstName: 'Ada' });
  const guest = await openOtherBrowser(page, server);
  await guest.page.goto(`/user/${ada.uid}`);
  await expect(guest.page.getByRole('heading', { name: 'Academic' })).toBeVisible();
  await expect(writeTo(guest.page)).toHaveCount(0);
  await expect(guest.page.getByRole('link', { name: /to write to/u })).toHaveCount(0);
  await guest.page.goto(`/user/${ada.uid}?write`);
  await guest.page.getByRole('link', { name: `Sign in to write to ${ada.name}` }).click();
  await guest.page.getByLabel('Email').fill('demo@alumni.example');
  await guest.page.getByLabel('Password', { exact: true }).fill('olumo rock at dawn');
  await guest.page.getByRole('button', { name: 'Sign in' }).click();
  await expect(formFor(guest.page, ada)).toBeVisible();
  await guest.context.close();
});

test('a hidden member sees why they cannot write messages, and sees no message button on their own profile', async ({
  page,
  server,
}) => {
  const ben = await createMember(page, server, { firstName: 'Ben' });
  const ada = await createMember(page, server, { firstName: 'Ada' });
  await page.goto(`/user/${ada.uid}`);
  await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
  await expect(page.getByRole('button', { name: /Write|Block/u })).toHaveCount(0);
  await send(page, 'PUT', `/api/users/${ada.uid}/privacy`, { isHidden: true, version: 'any' });
  await page.goto(`/user/${ben.uid}`);
  await expect(page.getByText('Your profile is hidden from members, so you cannot write to them.')).toBeVisible();
  await page.getByRole('link', { name: 'Privacy settings' }).click();
  await expect(page).toHaveURL('/settings?section=privacy');
});

test('a profile offers TRY AGAIN when it cannot load whether the person accepts messages', async ({ page, server }) => {
  const ben = await createMember(page, server, { firstName: 'Ben' });
  await createMember(page, server);
  await page.route('**/api/users/*/contact', (route) => route.abort());
  await page.goto(`/user/${ben.uid}`);
  await expect(page.getByText('We could not load this. Check your connection.')).toBeVisible();
  await page.unroute('**/api/users/*/contact');
  await page.getByRole('button', { name: 'TRY AGAIN' }).click();
  await expect(writeTo(page)).toBeVisible();
});

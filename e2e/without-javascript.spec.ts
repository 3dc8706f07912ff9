import type { Browser, Locator, Page } from '@playwright/test';
import { addEntryWithCode, enterConfirmedMode } from './confirmed-mode.ts';
import {
  createAddress,
  createMember,
  createName,
  createVerifiedAccount,
  demo,
  expect,
  fillDate,
  fillStep,
  followLink,
  holdRequests,
  password,
  photo,
  startSession,
  stepAnswers,
  test,
  waitForHydration,
} from './fixtures.ts';

const scripts = '**/assets/*.js';
const getCards = (page: Page): Locator => page.locator('main li a[href^="/user/"]');

async function visitWithoutScripts(
  browser: Browser,
  baseURL: string,
  visit: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({
    baseURL,
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': '10.7.0.1' },
  });
  try {
    await visit(await context.newPage());
  } finally {
    await context.close();
  }
}

async function fillIn(page: Page, fields: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(fields.email);
  await page.getByLabel('Password', { exact: true }).fill(fields.password);
}

/** Returns the visible buttons that do nothing without JavaScript. */
const getDeadButtons = (page: Page) =>
  page.locator('button[type=button]:not([popovertarget]), .scripted [type=submit]').filter({ visible: true });

test.describe('without JavaScript', { tag: '@desk' }, () => {
  const signInTags = ['@spec-1.2', '@spec-2.8', '@spec-2.10', '@spec-2.45', '@spec-2.80', '@spec-8.1', '@spec-8.13'];
  test('a member signs in, sees the settings and signs out', { tag: signInTags }, async ({ browser, server }) => {
    await visitWithoutScripts(browser, server.url, async (page) => {
      await page.goto('/settings');
      await expect(page.locator('noscript p')).toHaveText('Please login to continue');
      await fillIn(page, { ...demo, password: 'not this one' });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('alert')).toHaveText('Wrong email or password (auth/invalid-credential)');
      await expect(page.getByLabel('Email')).toHaveValue(demo.email);
      await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
      await expect(getDeadButtons(page)).toHaveCount(0);
      await page.getByLabel('Password', { exact: true }).fill(demo.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL('/settings');
      await expect(page.locator('noscript p')).toContainText('You need JavaScript to change your settings.');
      await expect(page.getByLabel('Email', { exact: true })).toHaveValue(demo.email);
      await expect(page.getByLabel('Last name')).not.toHaveValue('');
      await expect(page.getByLabel('College', { exact: true })).not.toHaveValue('');
      await expect(page.getByLabel('Last name')).toBeDisabled();
      await expect(getDeadButtons(page)).toHaveCount(0);
      await page.getByRole('button', { name: 'Logout' }).click();
      await expect(page).toHaveURL('/login');
      await page.goto('/settings');
      await expect(page).toHaveURL(/\/login/u);
    });
  });

  const signUpTags = ['@spec-1.1', '@spec-1.4', '@spec-2.13', '@spec-2.15', '@spec-2.25', '@spec-2.76', '@spec-5.4'];
  test(
    'a user signs up and verifies the address, up to the onboarding',
    { tag: signUpTags },
    async ({ browser, server }) => {
      await visitWithoutScripts(browser, server.url, async (page) => {
        await page.goto('/signup');
        await page.getByRole('button', { name: 'Sign up' }).click();
        await expect(page.getByLabel('Email')).toHaveAccessibleDescription(/Email is required$/u);
        for (const label of ['Password', 'Confirm password'])
          await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription('Field cannot be empty');
        const email = createAddress();
        await fillIn(page, { email, password });
        await page.getByLabel('Confirm password').fill('something else');
        await page.getByRole('button', { name: 'Sign up' }).click();
        await expect(page.getByText('Passwords does not match')).toBeVisible();
        await page.getByLabel('Password', { exact: true }).fill(password);
        await page.getByLabel('Confirm password').fill(password);
        await page.getByRole('button', { name: 'Sign up' }).click();
        await expect(page).toHaveURL('/send-verification-email');
        await followLink(page, server.inbox, email, 'Verify your email address');
        await page.getByRole('button', { name: 'Confirm my address' }).click();
        await expect(page).toHaveURL('/onboarding');
        await expect(page.locator('noscript p')).toContainText('You need JavaScript to complete your profile.');
        await expect(getDeadButtons(page)).toHaveCount(0);
      });
    },
  );

  test('the field of the welcome page finds classmates', async ({ browser, server }) => {
    await visitWithoutScripts(browser, server.url, async (page) => {
      await page.goto('/home');
      await page.getByRole('searchbox', { name: 'Find your classmates' }).fill('ogunsola tem');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page).toHaveURL('/search?q=ogunsola+tem');
      await expect(page.getByRole('link', { name: 'Ògúnṣọlá' }).first()).toBeVisible();
    });
  });

  test('the search page does not wait for filters', async ({ browser, server }) => {
    await visitWithoutScripts(browser, server.url, async (page) => {
      await page.goto('/search?q=a');
      await expect(page.locator('main noscript span').first()).toHaveText('Filters need JavaScript.');
      await expect(page.getByText('Loading')).toHaveCount(0);
    });
  });

  test('the Filters button opens a form that filters the dashboard', async ({ browser, server }) => {
    await visitWithoutScripts(browser, server.url, async (page) => {
      await page.goto('/?view=list');
      await expect(getDeadButtons(page)).toHaveCount(0);
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Department').selectOption('Computer Science');
      await page.getByLabel('Graduated since').selectOption({ index: 3 });
      await page.getByRole('button', { name: 'Show people' }).click();
      await expect(page).toHaveURL(/^[^?]*\/\?view=list&.*department=Computer\+Science/u);
      await expect(page.getByText(/^\d+ shown in Computer Science(?:, since \d{4})?$/u)).toBeVisible();
      await expect(page.getByRole('button', { name: /^Filters/u })).toContainText('2');
      await page.getByRole('button', { name: /^Filters/u }).click();
      await expect(page.getByLabel('Department')).toHaveValue('Computer Science');
    });
  });

  test('a user confirms that they studied here', async ({ browser, page: other, server }) => {
    await enterConfirmedMode(server);
    const { uid, email } = await createMember(other, server);
    const code = await addEntryWithCode(server, uid, '20110294001X');
    await visitWithoutScripts(browser, server.url, async (page) => {
      const openWay = (title: string) => page.locator('summary').filter({ hasText: title }).click();
      await page.goto(`/join/${code}`);
      await expect(getDeadButtons(page)).toHaveCount(0);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await fillIn(page, { email, password });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page).toHaveURL(`/join/${code}`);
      await expect(getDeadButtons(page)).toHaveCount(0);

      await page.goto('/confirm');
      await openWay('Find me on the university’s list');
      await page.getByLabel('Matric number').fill('99999');
      const dob = page.getByRole('group', { name: 'Date of birth' });
      await fillDate(dob, '1993-02-30');
      await page.getByRole('button', { name: 'Find me' }).click();
      await expect(dob).toHaveAccessibleDescription('For example 12 4 1993 Field cannot be empty');
      await expect(dob.getByLabel('Day')).toHaveValue('30');
      await fillDate(dob, '1993-04-12');
      await page.getByRole('button', { name: 'Find me' }).click();
      await expect(page).toHaveURL('/confirm');
      await expect(page.getByText('12 April 1993')).toBeVisible();
      await expect(getDeadButtons(page)).toHaveCount(0);
      await page.getByRole('button', { name: 'Withdraw my request' }).click();
      await openWay('I have a code');
      await page.getByLabel('Code').fill('7K3Q-MX9R-2DAB');
      await page.getByRole('button', { name: 'Use this code' }).click();
      await expect(page.getByText(/^This code does not work\./u)).toBeVisible();
      await expect(page.getByLabel('Code')).toHaveValue('7K3Q-MX9R-2DAB');

      await page.goto('/join');
      await page.getByLabel('Code').fill('7K3QMX9R2DAB');
      await page.getByRole('button', { name: 'Continue' }).click();
      await expect(page).toHaveURL('/join/7K3QMX9R2DAB');
      await page.getByRole('button', { name: 'Use this code' }).click();
      await expect(page.getByLabel('Code', { exact: true })).toHaveAccessibleDescription(/This code does not work\./u);
      await page.getByLabel('Code', { exact: true }).fill(code);
      await page.getByRole('button', { name: 'Use this code' }).click();
      await expect(page.getByRole('heading', { name: 'You are a confirmed member' })).toBeVisible();
      for (const path of ['/settings?section=membership', '/not-you?code=unknown']) {
        await page.goto(path);
        await expect(getDeadButtons(page), path).toHaveCount(0);
      }
      await page.getByRole('button', { name: 'This is not me' }).click();
      await expect(page.getByText(/^This link does not work\./u)).toBeVisible();
    });
  });
});

test.describe('a click before hydration', () => {
  test('on Filters opens the dialog once, even after several clicks', async ({ page }) => {
    const release = await holdRequests(page, scripts);
    await page.goto('/', { waitUntil: 'commit' });
    const filters = page.getByRole('button', { name: 'Filters' });
    await filters.click();
    await filters.click();
    await expect(page).toHaveURL('/');
    release();
    const dialog = page.getByRole('dialog', { name: 'Filters' });
    await expect(dialog).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(filters).toBeFocused();
  });

  test('is captured even if a picture fails to load', { tag: '@release' }, async ({ page }) => {
    await page.route('**/media/**', (route) => route.fulfill({ status: 404 }));
    const release = await holdRequests(page, scripts);
    const isMissing = page.waitForResponse((response) => response.status() === 404);
    await page.goto('/', { waitUntil: 'commit' });
    await isMissing;
    await page.getByRole('button', { name: 'Filters' }).click();
    release();
    await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible();
    await expect(page).toHaveURL('/');
  });

  test('on List view works without waiting for the scripts', async ({ page }) => {
    await holdRequests(page, scripts);
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'List view' }).click();
    await expect(page).toHaveURL(/view=list/u);
  });

  test('on a submit button submits the form once', async ({ page }) => {
    const release = await holdRequests(page, scripts);
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(new URL(request.url()).pathname);
    });
    await page.goto('/login', { waitUntil: 'commit' });
    await fillIn(page, demo);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Password', { exact: true }).press('Enter');
    release();
    await expect(page).toHaveURL('/');
    expect(sent).toEqual(['/api/identity/sign-in']);
  });

  test('on Back while the page hydrates keeps what the server has rendered', { tag: '@release' }, async ({ page }) => {
    await page.goto('/');
    await waitForHydration(page);
    await getCards(page).first().click();
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
    // Goes back when the router has started and React has not rendered yet. React reports a difference in the console.
    await page.addInitScript(() => {
      const addEventListener = window.addEventListener.bind(window);
      window.addEventListener = (...args: Parameters<typeof addEventListener>) => {
        addEventListener(...args);
        if (args[0] !== 'popstate' || location.pathname === '/') return;
        history.back();
        const end = performance.now() + 30;
        while (performance.now() < end) /* The browser goes back meanwhile. */ ;
      };
    });
    await page.reload();
    await expect(page).toHaveURL('/');
    await expect(getCards(page)).toHaveCount(24);
    await waitForHydration(page);
  });

  test('on Back shows the previous page', async ({ page }) => {
    await page.goto('/');
    const filters = page.getByRole('dialog', { name: 'Filters' });
    await page.getByRole('button', { name: 'Filters' }).click();
    await expect(filters).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(filters).toBeHidden();
    await page.locator('main li a[href^="/user/"]').first().click();
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
    const release = await holdRequests(page, scripts);
    await page.reload({ waitUntil: 'commit' });
    await expect(page.getByRole('heading', { name: 'Academic' })).toBeVisible();
    await page.goBack({ waitUntil: 'commit' });
    release();
    await expect(page.locator('main li a[href^="/user/"]')).toHaveCount(24);
    await expect(page).toHaveURL('/');
  });

  test('on several controls is replayed once for each', { tag: '@release' }, async ({ page }) => {
    const release = await holdRequests(page, scripts);
    await page.goto('/signup', { waitUntil: 'commit' });
    const word = page.getByLabel('Password', { exact: true });
    const confirmation = page.getByLabel('Confirm password');
    const [showWord, showConfirmation] = [0, 1].map((index) =>
      page.getByRole('button', { name: 'Show password' }).nth(index),
    ) as [Locator, Locator];
    await word.fill('abc');
    await showWord.click();
    await showConfirmation.click();
    await showWord.click();
    await page.getByRole('heading', { level: 1 }).click();
    await expect(showWord).toHaveClass(/opacity-60/u);
    release();
    await expect(word).toHaveAttribute('type', 'text');
    await expect(confirmation).toHaveAttribute('type', 'text');
    await expect(word).toHaveValue('abc');
    await expect(showWord).not.toHaveClass(/opacity-60/u);
  });

  test('at the moment of hydration is handled once', { tag: '@release' }, async ({ page }) => {
    await page.addInitScript(() => {
      const clickToggle = () => document.querySelector<HTMLElement>('[aria-label="Show password"]')?.click();
      // Before the replay; the second click, after it, switches back.
      addEventListener('live', clickToggle);
      addEventListener('live', () => setTimeout(() => setTimeout(clickToggle)));
      const states: (string | null)[] = [];
      Object.assign(window, { states });
      new MutationObserver((records) => {
        for (const { target } of records) states.push((target as HTMLElement).ariaPressed);
      }).observe(document, { subtree: true, attributeFilter: ['aria-pressed'] });
    });
    await page.goto('/login');
    await expect.poll(() => page.evaluate('states')).toEqual(['true', 'false']);
  });

  test('on Logout opens the dialog, and text typed into the search field is searched', async ({ page }) => {
    await startSession(page);
    const release = await holdRequests(page, scripts);
    await page.goto('/', { waitUntil: 'commit' });
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('button', { name: 'Logout' }).filter({ visible: true }).last().click();
    release();
    await expect(page.getByRole('dialog', { name: 'Do you really want to bail on us?' })).toBeVisible();
    await page.getByRole('button', { name: 'No!!!' }).click();

    const releaseAgain = await holdRequests(page, scripts);
    await page.goto('/gallery', { waitUntil: 'commit' });
    await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('ade');
    releaseAgain();
    await expect(page).toHaveURL('/search?q=ade');
    await expect(page.getByText(/for “ade”/u)).toBeVisible();
  });

  test('is passed to the browser when the scripts fail to load', async ({ page, browserConsole }) => {
    browserConsole.allow(/Failed to load|net::ERR/u);
    const gate = Promise.withResolvers<void>();
    await page.route(scripts, async (route) => {
      await gate.promise;
      await route.abort();
    });
    await page.goto('/login', { waitUntil: 'commit' });
    await fillIn(page, demo);
    await page.getByRole('button', { name: 'Sign in' }).click();
    gate.resolve();
    await expect(page).toHaveURL('/');
    await expect(page.getByText(/^\d+ shown in Computer Science(?:, since \d{4})?$/u)).toBeVisible();
  });

  test(
    'on Filters opens the dialog on a page that was translated before hydration',
    { tag: '@release' },
    async ({ page, browserConsole }) => {
      browserConsole.allow(/Minified React error #418/u);
      const release = await holdRequests(page, scripts);
      await page.goto('/', { waitUntil: 'commit' });
      const button = page.getByRole('button', { name: 'Filters' });
      await button.click();
      await button.evaluate((element) => {
        const translation = document.createElement('font');
        translation.textContent = 'Filtres';
        element.replaceChildren(translation);
      });
      release();
      await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible();
    },
  );

  test(
    'on Filters opens the dialog on the next page when the scripts fail to load',
    { tag: '@release' },
    async ({ page, browserConsole }) => {
      browserConsole.allow(/Failed to load|net::ERR/u);
      const gate = Promise.withResolvers<void>();
      let isBroken = true;
      await page.route(scripts, async (route) => {
        await gate.promise;
        await (isBroken ? route.abort() : route.continue());
      });
      page.on('request', (request) => {
        if (request.url().includes('filters=')) isBroken = false;
      });
      await page.goto('/', { waitUntil: 'commit' });
      await page.getByRole('button', { name: 'Filters' }).click();
      gate.resolve();
      await expect(page).toHaveURL(/filters=grid/u);
      await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible();
    },
  );

  test('on the settings form is not possible, but its values are shown', async ({ page }) => {
    await startSession(page);
    const release = await holdRequests(page, scripts);
    await page.goto('/settings?section=information', { waitUntil: 'commit' });
    const name = page.getByLabel('Last name');
    await expect(name).toBeDisabled();
    await expect(name).not.toHaveValue('');
    const value = await name.inputValue();
    release();
    await expect(name).toBeEnabled();
    await expect(name).toHaveValue(value);
  });
});

test('input before hydration takes precedence over the draft of the onboarding', async ({ page, server }) => {
  await createVerifiedAccount(page, server);
  await page.goto('/onboarding');
  for (const [index, values] of stepAnswers.entries()) {
    await expect(page.getByText(`Step ${index + 1}/5`)).toBeVisible();
    await fillStep(page, values);
    await page.getByRole('button', { name: 'Continue' }).click();
  }
  await expect(page.getByText('Step 5/5')).toBeVisible();

  const release = await holdRequests(page, scripts);
  await page.reload({ waitUntil: 'commit' });
  const picture = { name: 'me.jpg', mimeType: 'image/jpeg', buffer: await photo() };
  await page.getByLabel('Profile picture').setInputFiles(picture);
  release();
  await expect(page.getByRole('button', { name: 'Remove image' })).toBeVisible();

  const releaseAgain = await holdRequests(page, scripts);
  await page.goto('/onboarding', { waitUntil: 'commit' });
  await page.getByLabel('Title').selectOption('mrs.');
  await page.getByLabel('First name').fill('Ada');
  releaseAgain();
  await expect(page.getByLabel('Last name')).toHaveValue(stepAnswers[0]?.['Last name'] ?? '');
  await expect(page.getByLabel('First name')).toHaveValue('Ada');
  await expect(page.getByLabel('Title')).toHaveValue('mrs.');
});

test('pictures far below the viewport load after the scripts', async ({ page }) => {
  const release = await holdRequests(page, scripts);
  // People of the test data share pictures. Gives each picture on the page its own URL, so that the browser requests
  // each.
  await page.route(
    ({ pathname }) => pathname === '/',
    async (route) => {
      const response = await route.fetch();
      let count = 0;
      const addNumber = (image: string) => image.replaceAll('.webp', `.webp?${++count}`);
      const body = (await response.text()).replaceAll(/<img [^>]+>/gu, addNumber);
      await route.fulfill({ response, body });
    },
  );
  const requested = new Set<string>();
  page.on('request', (request) => {
    if (request.url().includes('.webp?')) requested.add(request.url());
  });
  await page.goto('/?department=all', { waitUntil: 'commit' });
  const pictures = page.locator('main li img');
  await expect.poll(() => pictures.first().evaluate((image: HTMLImageElement) => image.complete)).toBe(true);
  // The pictures that load at once are requested before the first one is complete.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  // The browser also loads what is at most one and a half screens below.
  const nearCount = await pictures.evaluateAll(
    (images) => images.filter((image) => image.getBoundingClientRect().top < 2.5 * innerHeight).length,
  );
  expect(requested.size).toBeLessThanOrEqual(nearCount);
  release();
  await expect.poll(() => requested.size).toBeGreaterThan(nearCount);
});

test.describe('in a browser that is too old for the scripts', () => {
  test('pages work as they do without JavaScript, in the institution’s colours', async ({ page }) => {
    await page.addInitScript(() => Reflect.deleteProperty(String.prototype, 'isWellFormed'));
    await page.goto('/');
    await expect(getCards(page).first()).toBeVisible();
    await expect(page.locator('noscript')).toHaveCount(0);
    await expect(getDeadButtons(page)).toHaveCount(0);
    await expect(page.locator('html')).toHaveAttribute('style', /--color-brand: #[0-9a-f]{6};/u);
    const menu = page.getByRole('complementary');
    await expect(menu).toBeHidden();
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await menu.getByRole('link', { name: 'Settings' }).click();
    await expect(page.getByText('Please login to continue')).toBeVisible();
    await fillIn(page, demo);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page).toHaveURL('/settings');
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect(page).toHaveURL(/\/login/u);
    expect(await page.evaluate(() => document.documentElement.dataset['hydrated'])).toBeUndefined();
  });
});

test.describe('in the oldest browser that runs the scripts', () => {
  test('filters, counts and the menu work after the first page', async ({ page, server }) => {
    await page.addInitScript(() => {
      const newerApis: [object, string][] = [
        [URLSearchParams.prototype, 'size'],
        [AbortSignal, 'any'],
        [Array, 'fromAsync'],
        [Map, 'groupBy'],
        [Object, 'groupBy'],
        [Promise, 'withResolvers'],
        [URL, 'canParse'],
        [URL, 'parse'],
      ];
      for (const [owner, name] of newerApis) Reflect.deleteProperty(owner, name);
    });
    const { name } = await createMember(page, server, { department: createName('Department') });
    await page.goto('/gallery');
    await waitForHydration(page);
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('complementary').getByRole('link', { name: 'Dashboard' }).click();
    await expect(page.getByText('1 shown')).toBeVisible();
    await expect(getCards(page)).toHaveCount(1);
    await expect(getCards(page)).toContainText(name.split(' ').at(-1) ?? '');
  });
});

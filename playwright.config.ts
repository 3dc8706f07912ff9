import { defineConfig } from '@playwright/test';
import { findBrowser } from './e2e/browser.ts';

const { executablePath, args, env } = await findBrowser();

/** Browser tests in Chromium, at the size of a phone and of a desktop. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/e2e',
  globalSetup: './e2e/global-setup.ts',
  // More than the two cores of a small machine, because tests often wait for a timer, an email or an animation. Each
  // worker has its own server and database.
  workers: 3,
  // Far longer than any test takes, so that a timeout means that a test hangs, not that the machine is slow.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  // CI machines can stall for seconds. `.ci/run` lists the flaky tests.
  retries: process.env['CI'] ? 1 : 0,
  forbidOnly: Boolean(process.env['CI']),
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  use: {
    // Tracing makes Playwright load pictures in ways that the content security policy forbids, so it is off by default.
    trace: process.env['E2E_TRACE'] ? 'on' : 'off',
    launchOptions: { executablePath, args, env: { ...(process.env as Record<string, string>), ...env } },
    actionTimeout: 30_000,
  },
  projects: [
    // A test runs at phone size by default, with the tag @desk at desktop size instead, and with @both at both sizes.
    {
      name: 'phone',
      grepInvert: /@desk/u,
      use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
    },
    { name: 'desk', grep: /@desk|@both/u, use: { viewport: { width: 1440, height: 900 } } },
  ],
});

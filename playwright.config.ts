import { defineConfig } from '@playwright/test';
import { findBrowser } from './e2e/browser.ts';

const { executablePath, args, env } = await findBrowser();

/** What a person does, in a real Chromium, on a cheap phone and on a desk. */
export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/e2e',
  globalSetup: './e2e/global-setup.ts',
  // One browser does not keep two processors busy. Each worker has a server and a database of its own.
  workers: 2,
  // Far above what anything takes: a time-out here means that a test hangs, not that the machine is slow.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env['CI']),
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  use: {
    screenshot: 'only-on-failure',
    // With a trace, Playwright itself fetches pictures in ways that our policy refuses; ask for one when you need it.
    trace: process.env['E2E_TRACE'] ? 'on' : 'off',
    launchOptions: { executablePath, args, env: { ...(process.env as Record<string, string>), ...env } },
    actionTimeout: 30_000,
  },
  projects: [
    // A test runs on the phone, as most people have one; with the tag @desk on the desk instead, with @both on both.
    {
      name: 'phone',
      grepInvert: /@desk/u,
      use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
    },
    { name: 'desk', grep: /@desk|@both/u, use: { viewport: { width: 1440, height: 900 } } },
  ],
});

import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { chromium, type LaunchOptions } from '@playwright/test';

export type Browser = Required<Pick<LaunchOptions, 'executablePath' | 'args'>> & { env: Record<string, string> };

const browserVariable = 'E2E_BROWSER_FOUND';

/**
 * Finds a Chromium that works on this machine: the one from E2E_BROWSER, an installed one, one downloaded by
 * Playwright, or the one from `npm ci`. Tests each by opening a page.
 * @throws Error with the failed attempts and instructions; tests are never skipped because a browser is missing
 */
export async function findBrowser(): Promise<Browser> {
  const known = process.env[browserVariable];
  if (known) return JSON.parse(known) as Browser;
  const faults: string[] = [];
  for (const candidate of candidates()) {
    const browser = await candidate().catch((error: unknown) => void faults.push(String(error)));
    if (!browser) continue;
    const fault = await findFault(browser);
    if (fault === null) {
      process.env[browserVariable] = JSON.stringify(browser);
      return browser;
    }
    faults.push(`${browser.executablePath}: ${fault}`);
  }
  throw new Error(
    `No working browser found. Install Chrome or Chromium, or set its path: E2E_BROWSER=/path/to/chrome npm test\nTried:\n${faults.join('\n')}`,
  );
}

/** Chromium's sandbox does not work as root. Web security stays enabled, because the tests depend on it. */
const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

const installPaths = [
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
];

function* candidates(): Generator<() => Promise<Browser | undefined>> {
  const named = process.env['E2E_BROWSER'];
  if (named) yield async () => ({ executablePath: named, args, env: {} });
  for (const executablePath of [...installPaths, chromium.executablePath()]) {
    if (existsSync(executablePath)) yield async () => ({ executablePath, args, env: {} });
  }
  yield () => unpack({ withLibraries: false });
  yield () => unpack({ withLibraries: true });
}

async function findFault({ executablePath, env }: Browser): Promise<string | null> {
  try {
    const browser = await chromium.launch({
      executablePath,
      args,
      env: { ...(process.env as Record<string, string>), ...env },
      timeout: 30_000,
    });
    try {
      const page = await browser.newPage();
      return (await page.evaluate('6 * 7')) === 42 ? null : 'it does not run JavaScript';
    } finally {
      await browser.close();
    }
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? 'it does not start';
  }
}

/**
 * Unpacks the browser of the npm package @sparticuz/chromium (Linux on x64) once per version. The package also contains
 * the libraries that Chromium needs and that a minimal system lacks.
 */
async function unpack({ withLibraries }: { withLibraries: boolean }): Promise<Browser | undefined> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const home = dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')));
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
  const folder = join(cacheFolder(), `chromium-${version}`);
  if (!existsSync(folder)) {
    // The package unpacks into TMPDIR. A separate folder ensures that an interrupted run leaves no incomplete browser.
    const unfinished = mkdtempSync(join(cacheFolder(), 'unpacking-'));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = unfinished;
    try {
      const { inflate } = await import('@sparticuz/chromium');
      for (const part of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'])
        await inflate(join(home, 'bin', part));
      renameSync(unfinished, folder);
    } catch (error) {
      rmSync(unfinished, { recursive: true, force: true });
      if (!existsSync(folder)) throw error;
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  }
  return {
    executablePath: join(folder, 'chromium'),
    args,
    env: {
      ...(!existsSync('/etc/fonts/fonts.conf') && { FONTCONFIG_PATH: join(folder, 'fonts') }),
      ...(withLibraries && { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') }),
    },
  };
}

function cacheFolder(): string {
  const cacheDir = join(import.meta.dirname, '..', 'node_modules', '.cache');
  try {
    mkdirSync(cacheDir, { recursive: true });
    return cacheDir;
  } catch {
    const own = join(tmpdir(), `archive-cache-${process.getuid?.() ?? 0}`);
    mkdirSync(own, { recursive: true, mode: 0o700 });
    return own;
  }
}

import { join, relative } from 'node:path';

/*
 * Reads which tests `docs/conformance.md` and `docs/security.md` name as proofs, and how they ended by the runners' reports. The
 * check itself is `scripts/conformance.test.ts`.
 */

/** A row or line of a document, and the tests that prove it. */
export interface Row {
  readonly number: string;
  /** `file › describe › title`; one that ends in `…` means every test that begins like this. */
  readonly tests: readonly string[];
}

const namedTests = /`((?:\w|[./-])+\.(?:test|spec)\.ts › [^`]+)`/gu;

const testsIn = (text: string): string[] => [...text.matchAll(namedTests)].map(([, name = '']) => name);

/** Returns the lines of a document that name tests anywhere. */
export const proofsIn = (markdown: string): Row[] =>
  markdown.split('\n').flatMap((line, index) => {
    const tests = testsIn(line);
    return tests.length > 0 ? [{ number: `of line ${index + 1}`, tests }] : [];
  });

/** Returns the numbered rows `| 2.14 | statement | tests | decisions |` of a document, and what is wrong with them. */
export function readTable(markdown: string): { rows: Row[]; faults: string[] } {
  const rows: Row[] = [];
  const faults: string[] = [];
  for (const line of markdown.split('\n').filter((text) => /^\| *\d/u.test(text))) {
    const [, number = '', , proofs = '', decisions = ''] = line.split(/(?<!\\)\|/u).map((cell) => cell.trim());
    const tests = testsIn(proofs.replaceAll('\\|', '|'));
    const rest = proofs.replaceAll('\\|', '|').replaceAll(namedTests, '').replaceAll('<br>', '').trim();
    if (tests.length === 0 || rest !== '')
      faults.push(`row ${number}: write each test as \`file › title\` in backticks, with <br> between two`);
    for (const [name] of decisions.matchAll(/\w+/gu)) {
      if (!markdown.includes(`\n- **${name}** `)) faults.push(`row ${number}: ${name} is not in the list of decisions`);
    }
    rows.push({ number, tests });
  }
  return { rows, faults };
}

/** How a test ended. In several projects, one pass is enough to have passed, and one failure to have failed. */
export type Outcomes = ReadonlyMap<string, 'passed' | 'failed' | 'skipped'>;

/** The parts of Vitest's JSON report that are read here. */
export interface VitestReport {
  testResults: { name: string; assertionResults: { ancestorTitles: string[]; title: string; status: string }[] }[];
}

/** The parts of Playwright's JSON report that are read here. */
export interface PlaywrightReport {
  config: { rootDir: string };
  suites: PlaywrightSuite[];
}
interface PlaywrightSuite {
  title: string;
  /** Relative to `rootDir`. */
  file: string;
  specs: { title: string; tests: { status: 'expected' | 'unexpected' | 'flaky' | 'skipped' }[] }[];
  suites?: PlaywrightSuite[];
}

/** Returns every test of the reports by its name, `file › describe › title`, with files relative to `root`. */
export function outcomesOf(root: string, vitest: VitestReport, playwright: PlaywrightReport): Outcomes {
  const outcomes = new Map<string, 'passed' | 'failed' | 'skipped'>();
  const add = (titles: readonly string[], status: string) => {
    const name = titles.join(' › ');
    const before = outcomes.get(name) ?? 'skipped';
    if (before === 'failed' || /^(?:failed|unexpected)$/u.test(status)) outcomes.set(name, 'failed');
    else outcomes.set(name, /^(?:passed|expected|flaky)$/u.test(status) ? 'passed' : before);
  };
  for (const { name, assertionResults } of vitest.testResults) {
    for (const { ancestorTitles, title, status } of assertionResults)
      add([relative(root, name), ...ancestorTitles, title], status);
  }
  const walk = ({ specs, suites = [] }: PlaywrightSuite, titles: readonly string[]) => {
    for (const { title, tests } of specs) for (const { status } of tests) add([...titles, title], status);
    for (const suite of suites) walk(suite, [...titles, suite.title]);
  };
  for (const suite of playwright.suites) walk(suite, [relative(root, join(playwright.config.rootDir, suite.file))]);
  return outcomes;
}

/** Returns which of the named tests do not exist, failed or were skipped, each with its row. */
export const faultsOfProofs = (rows: readonly Row[], outcomes: Outcomes): string[] =>
  rows.flatMap(({ number, tests }) =>
    tests.flatMap((name) => faultsOfTest(name, outcomes).map((fault) => `row ${number}: ${fault}`)),
  );

function faultsOfTest(name: string, outcomes: Outcomes): string[] {
  const start = name.endsWith('…') ? name.slice(0, -1) : null;
  const found = [...outcomes].filter(([known]) => (start === null ? known === name : known.startsWith(start)));
  if (found.length === 0) return [`no test is called “${name}”: correct the name, or write the test`];
  return found.flatMap(([known, outcome]) => {
    if (outcome === 'failed') return [`“${known}” failed: mend what it tests`];
    if (outcome === 'skipped') return [`“${known}” was skipped everywhere: let it run`];
    return [];
  });
}

import { join, relative } from 'node:path';

/*
 * What `docs/conformance.md` says, and whether the runners' reports bear it out. Plain functions: the check itself is
 * `scripts/conformance.test.ts`.
 */

/** A statement of the specification, and the tests that prove it. */
export interface Row {
  /** Section and place in it, e.g. `2.14`. */
  readonly number: string;
  readonly statement: string;
  /** `file › describe › title`; one that ends in `…` means every test that begins like this. */
  readonly tests: readonly string[];
  /** Decisions on which the product deviates, e.g. `D4`. */
  readonly decisions: readonly string[];
}

export interface Table {
  readonly rows: readonly Row[];
  /** Those that the legend at the end explains, in its order. */
  readonly decisions: readonly string[];
  /** What is not as a table has to be; each says what to do. */
  readonly faults: readonly string[];
}

const columns = ['#', 'Statement', 'Proved by', 'Reading'];

/** Reads the document: a table under each heading `## 2. …`, and a list `- **D4** …` of the decisions. */
export function readTable(markdown: string): Table {
  const rows: Row[] = [];
  const decisions: string[] = [];
  const faults: string[] = [];
  let section = 0;
  let place = 0;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fault = (what: string) => void faults.push(`line ${index + 1}: ${what}`);
    const [, heading] = /^## (\d+)\. /u.exec(line) ?? [];
    const [, decision] = /^- \*\*(D\d+)\*\* \S/u.exec(line) ?? [];
    if (heading) {
      section++;
      place = 0;
      if (heading !== String(section)) fault(`section ${heading} stands where section ${section} belongs`);
    }
    if (decision) {
      decisions.push(decision);
      if (decision !== `D${decisions.length}`) fault(`${decision} stands where D${decisions.length} belongs`);
    }
    if (!line.includes('|') || /^\|(?: *:?-+:? *\|)+$/u.test(line)) continue;
    const cells = cellsOf(line);
    if (cells?.join() === columns.join()) continue;
    if (cells?.length !== columns.length) {
      fault(`this is no row: write | ${columns.join(' | ')} |, with \\| for a bar inside of a cell`);
      continue;
    }
    const [number = '', statement = '', proofs = '', reading = ''] = cells;
    place++;
    if (number !== `${section}.${place}`) fault(`row ${number} stands where ${section}.${place} belongs: number anew`);
    if (statement === '') fault(`row ${number} states nothing`);
    const tests = testsOf(proofs);
    if (!tests) fault(`row ${number}: write each test as \`file › title\` in backticks, with <br> between two`);
    else if (tests.length === 0) fault(`row ${number} has no test: write one, and name it here`);
    const readings = reading === '' ? [] : reading.split(', ');
    if (readings.some((name) => !/^D\d+$/u.test(name))) fault(`row ${number}: write the reading as D4, or as D4, D15`);
    rows.push({ number, statement, tests: tests ?? [], decisions: readings });
  }
  faults.push(...faultsOfDecisions(rows, decisions));
  return { rows, decisions, faults };
}

/** The cells of a line, or null where it is not closed by bars. `\|` is a bar in a cell. */
function cellsOf(line: string): string[] | null {
  const parts = line.trim().split(/(?<!\\)\|/u);
  if (parts.length < 3 || parts.at(0) !== '' || parts.at(-1) !== '') return null;
  return parts.slice(1, -1).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The tests of a cell, or null where it cannot be read. */
function testsOf(cell: string): string[] | null {
  if (cell === '') return [];
  const tests = cell.split('<br>').map((part) => /^`([^`]+ › [^`]+)`$/u.exec(part.trim())?.[1]);
  return tests.every((name) => name !== undefined) ? tests : null;
}

function* faultsOfDecisions(rows: readonly Row[], decisions: readonly string[]): Generator<string> {
  const used = new Set(rows.flatMap((row) => row.decisions));
  for (const name of decisions)
    if (!used.has(name)) yield `${name} is in the list of decisions, and no row refers to it: name it where it applies`;
  for (const { number, decisions: named } of rows)
    for (const name of named)
      if (!decisions.includes(name)) yield `row ${number} refers to ${name}, which is not in the list of decisions`;
}

/** The tests that a document names anywhere, each line of it as a row by its number. */
export const proofsIn = (markdown: string): Row[] =>
  markdown.split('\n').flatMap((line, index) => {
    const tests = [...line.matchAll(/`((?:\w|[./-])+\.(?:test|spec)\.ts › [^`]+)`/gu)].map(([, name = '']) => name);
    return tests.length > 0 ? [{ number: `of line ${index + 1}`, statement: line, tests, decisions: [] }] : [];
  });

/** How a test ended: in whatever project it ran, once is enough to have passed and once is enough to have failed. */
export type Outcome = 'passed' | 'failed' | 'skipped';
export type Outcomes = ReadonlyMap<string, Outcome>;

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

/** Every test of the reports by its name, `file › describe › title`, with files relative to `root`. */
export function outcomesOf(root: string, vitest: VitestReport, playwright: PlaywrightReport): Outcomes {
  const outcomes = new Map<string, Outcome>();
  const add = (name: string, outcome: Outcome) => {
    const before = outcomes.get(name) ?? 'skipped';
    if (before !== 'failed') outcomes.set(name, outcome === 'skipped' ? before : outcome);
  };
  for (const { name: file, assertionResults } of vitest.testResults) {
    for (const { ancestorTitles, title, status } of assertionResults) {
      const outcome = status === 'passed' || status === 'failed' ? status : 'skipped';
      add([relative(root, file), ...ancestorTitles, title].join(' › '), outcome);
    }
  }
  const meanings = { expected: 'passed', flaky: 'passed', unexpected: 'failed', skipped: 'skipped' } as const;
  const walk = ({ specs, suites = [] }: PlaywrightSuite, titles: readonly string[]) => {
    for (const { title, tests } of specs)
      for (const { status } of tests) add([...titles, title].join(' › '), meanings[status]);
    for (const suite of suites) walk(suite, [...titles, suite.title]);
  };
  for (const suite of playwright.suites) walk(suite, [relative(root, join(playwright.config.rootDir, suite.file))]);
  return outcomes;
}

/** What keeps rows from being proved, each once, with the rows that it concerns and what to do. */
export function faultsOfProofs(rows: readonly Row[], outcomes: Outcomes): string[] {
  const concerned = new Map<string, string[]>();
  for (const { number, tests } of rows) {
    for (const fault of new Set(tests.flatMap((name) => faultsOfTest(name, outcomes))))
      concerned.set(fault, [...(concerned.get(fault) ?? []), number]);
  }
  return [...concerned].map(([fault, numbers]) => `row ${numbers.join(', ')}: ${fault}`);
}

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

/** The closing line of the check. */
export function summaryOf({ rows }: Table, outcomes: Outcomes): string {
  const proved = rows.filter((row) => row.tests.length > 0 && faultsOfProofs([row], outcomes).length === 0);
  return `conformance: ${rows.length} rows, ${proved.length} proved`;
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Reads the ids of the rows of `docs/conformance.md` and `docs/security.md`, and the tests that carry these ids as tags. The
 * check itself is `scripts/conformance.test.ts`.
 */

/** Returns the cells of each table row that begins with a number, for example `| 2.14 | Statement | D9 |`. */
const readRows = (markdown: string): string[][] =>
  markdown.split('\n').flatMap((line) =>
    /^\| *\d/u.test(line)
      ? [
          line
            .split(/(?<!\\)\|/u)
            .slice(1, -1)
            .map((cell) => cell.trim()),
        ]
      : [],
  );

/** Returns the id of each row that a test has to prove, and one message for each malformed row. */
export function readRowIds() {
  const [conformance = '', security = ''] = ['conformance.md', 'security.md'].map((name) =>
    readFileSync(join(import.meta.dirname, '../docs', name), 'utf8'),
  );
  const faults: string[] = [];
  const statements = readRows(conformance).map(([number = '', statement, decisions = '', ...rest]) => {
    if (!statement || rest.length > 0) faults.push(`row ${number}: write it as | 2.14 | Statement | D9 |`);
    for (const [name] of decisions.matchAll(/\w+/gu)) {
      if (!conformance.includes(`\n- **${name}** `))
        faults.push(`row ${number}: ${name} is not in the list of decisions`);
    }
    return `spec-${number}`;
  });
  const requirements = readRows(security).flatMap(([numbers = '', , , proof = '']) => {
    const id = `asvs-${numbers.replace(/,.*/u, '')}`;
    if (proof.startsWith(`\`${id}\``)) return [id];
    if (!/^(?:None|Open:)/u.test(proof)) faults.push(`row ${numbers}: begin the proof with \`${id}\`, None or Open:`);
    return [];
  });
  return { statements, requirements, faults };
}

/** A test with its status in each Playwright project, or its one status in Vitest. */
export interface ReportedTest {
  readonly name: string;
  readonly tags: readonly string[];
  readonly statuses: readonly string[];
}

/** The parts of Vitest's JSON report that are read here. */
export interface VitestReport {
  testResults: { assertionResults: { fullName: string; tags: string[]; status: string }[] }[];
}

/** A suite of Playwright's JSON report, with the parts that are read here. The report itself has `suites` too. */
export interface PlaywrightSuite {
  specs?: { title: string; tags: string[]; tests: { status: string }[] }[];
  suites?: PlaywrightSuite[];
}

/** Returns all tests of Vitest's report. */
export const vitestTests = ({ testResults }: VitestReport): ReportedTest[] =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ fullName, tags, status }) => ({ name: fullName, tags, statuses: [status] })),
  );

/** Returns all tests of Playwright's report. */
export const playwrightTests = ({ specs = [], suites = [] }: PlaywrightSuite): ReportedTest[] => [
  ...specs.map(({ title, tags, tests }) => ({ name: title, tags, statuses: tests.map(({ status }) => status) })),
  ...suites.flatMap(playwrightTests),
];

/** Returns why the tests with this tag do not prove its row: none exists, one failed, or one was skipped in every project. */
export function findFaults(id: string, tests: readonly ReportedTest[]): string[] {
  const proofs = tests.filter(({ tags }) => tags.includes(id));
  if (proofs.length === 0) return [`${id}: no test has this tag`];
  return proofs.flatMap(({ name, statuses }) => {
    if (statuses.some((status) => /^(?:failed|unexpected)$/u.test(status))) return [`${id}: “${name}” failed`];
    if (statuses.some((status) => /^(?:passed|expected|flaky)$/u.test(status))) return [];
    return [`${id}: “${name}” was skipped`];
  });
}

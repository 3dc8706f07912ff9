import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * Reads the ids of the statements of `docs/conformance.md` and of the requirements in `docs/security.md`, and the tests
 * with these ids as tags. The check itself is in `scripts/conformance.test.ts`.
 */

export function readRowIds() {
  const [conformance = '', security = ''] = ['conformance.md', 'security.md'].map((name) =>
    readFileSync(join(import.meta.dirname, '../docs', name), 'utf8'),
  );
  const faults: string[] = [];
  const statements = conformance.split('\n').flatMap((line) => {
    const [, number, text = '', decisions = ''] = /^- (\d+\.\d+)(?: (\S.*?))?(?: \[(.*)\])?$/u.exec(line) ?? [];
    if (number === undefined) return [];
    if (!text) faults.push(`statement ${number}: write it as - 2.14 Statement [D9]`);
    for (const [name] of decisions.matchAll(/\w+/gu)) {
      if (!conformance.includes(`\n- **${name}** `))
        faults.push(`statement ${number}: ${name} is not in the list of decisions`);
    }
    return [`spec-${number}`];
  });
  const requirements = security.split('\n').flatMap((line) => {
    const [, number = '', text] = /^- (\d+(?:\.\d+){2})(?:, \d+(?:\.\d+){2})*(?: (\S.*))?$/u.exec(line) ?? [];
    if (number !== '' && text === undefined) faults.push(`requirement ${number}: write it as - 2.3.4 Requirement`);
    return number === '' ? [] : [`asvs-${number}`];
  });
  return { statements, requirements, faults };
}

export interface ReportedTest {
  readonly name: string;
  readonly tags: readonly string[];
  readonly statuses: readonly string[];
}

export interface VitestReport {
  testResults: { assertionResults: { fullName: string; tags: string[]; status: string }[] }[];
}

/** Only the parts that are read here. The report itself also has `suites`. */
export interface PlaywrightSuite {
  specs?: { title: string; tags: string[]; tests: { status: string }[] }[];
  suites?: PlaywrightSuite[];
}

export const readVitestTests = ({ testResults }: VitestReport): ReportedTest[] =>
  testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ fullName, tags, status }) => ({ name: fullName, tags, statuses: [status] })),
  );

export const readPlaywrightTests = ({ specs = [], suites = [] }: PlaywrightSuite): ReportedTest[] => [
  ...specs.map(({ title, tags, tests }) => ({ name: title, tags, statuses: tests.map(({ status }) => status) })),
  ...suites.flatMap(readPlaywrightTests),
];

/**
 * Returns why the tests with a tag do not prove the statement of the tag: no test exists, a test failed, or was skipped
 * in every project.
 */
export function findFaults(id: string, tests: readonly ReportedTest[]): string[] {
  const proofs = tests.filter(({ tags }) => tags.includes(id));
  if (proofs.length === 0) return [`${id}: no test has this tag`];
  return proofs.flatMap(({ name, statuses }) => {
    if (statuses.some((status) => /^(?:failed|unexpected)$/u.test(status))) return [`${id}: “${name}” failed`];
    if (statuses.some((status) => /^(?:passed|expected|flaky)$/u.test(status))) return [];
    return [`${id}: “${name}” was skipped`];
  });
}

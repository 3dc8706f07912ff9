import { describe, expect, test } from 'vitest';
import { faultsOfProofs, outcomesOf, proofsIn, readTable } from './conformance.ts';

const document = (...rows: string[]) =>
  ['| # | Statement | Proved by | Reading |', ...rows, '- **D1** One.', ''].join('\n');

describe('readTable', () => {
  test('returns the tests of each row', () => {
    expect(
      readTable(
        document(
          '| 1.1 | A text | `a.test.ts › one` |  |',
          '| 1.2 | one \\| two | `a.test.ts › a \\| b`<br>`e2e/b.spec.ts › c › d …` | D1 |',
        ),
      ),
    ).toEqual({
      rows: [
        { number: '1.1', tests: ['a.test.ts › one'] },
        { number: '1.2', tests: ['a.test.ts › a | b', 'e2e/b.spec.ts › c › d …'] },
      ],
      faults: [],
    });
  });

  test.each([
    ['a row without a test', '| 1.3 | A rule |  |  |', 'row 1.3: write each test'],
    [
      'a test without backticks',
      '| 1.3 | A rule | `a.test.ts › one`<br>a.test.ts › two |  |',
      'row 1.3: write each test',
    ],
    ['a test without a file', '| 1.3 | A rule | `one` |  |', 'row 1.3: write each test'],
    ['an unknown decision', '| 1.3 | A rule | `a.test.ts › one` | D1, D3 |', 'row 1.3: D3 is not in the list'],
  ])('reports %s', (_, line, fault) => {
    expect(readTable(document(line)).faults.join('\n')).toContain(fault);
  });
});

describe('the proofs', () => {
  const result = (status: string, title: string, ...ancestorTitles: string[]) => ({ status, title, ancestorTitles });
  const outcomes = outcomesOf(
    '/repository',
    {
      testResults: [
        {
          name: '/repository/server/a.test.ts',
          assertionResults: [
            result('passed', 'stands alone'),
            result('passed', 'of a part', 'a group', 'its part'),
            result('failed', 'fails', 'a group'),
            result('skipped', 'is skipped'),
            result('todo', 'is only planned'),
            result('passed', 'the value 1 is refused'),
            result('passed', 'the value 2 is refused'),
            result('passed', 'the year 1 is refused'),
            result('skipped', 'the year 2 is refused'),
          ],
        },
      ],
    },
    {
      config: { rootDir: '/repository/e2e' },
      suites: [
        {
          title: 'b.spec.ts',
          file: 'b.spec.ts',
          specs: [
            { title: 'on both', tests: [{ status: 'expected' }, { status: 'flaky' }] },
            { title: 'on one', tests: [{ status: 'skipped' }, { status: 'expected' }] },
            { title: 'on none', tests: [{ status: 'skipped' }, { status: 'skipped' }] },
            { title: 'fails on one', tests: [{ status: 'unexpected' }, { status: 'expected' }] },
          ],
          suites: [
            {
              title: 'a group',
              file: 'b.spec.ts',
              specs: [{ title: 'of it', tests: [{ status: 'expected' }] }],
              suites: [],
            },
          ],
        },
      ],
    },
  );
  const row = (...tests: string[]) => ({ number: '1.1', tests });

  test.each([
    'server/a.test.ts › stands alone',
    'server/a.test.ts › a group › its part › of a part',
    'server/a.test.ts › the value …',
    'e2e/b.spec.ts › on both',
    'e2e/b.spec.ts › on one',
    'e2e/b.spec.ts › a group › of it',
  ])('“%s” is one', (name) => {
    expect(faultsOfProofs([row(name)], outcomes)).toEqual([]);
  });

  test.each([
    ['server/a.test.ts › stands', 'no test is called'],
    ['server/a.test.ts › of a part', 'no test is called'],
    ['a.test.ts › stands alone', 'no test is called'],
    ['server/a.test.ts › nothing like this …', 'no test is called'],
    ['server/a.test.ts › a group › fails', 'failed'],
    ['server/a.test.ts › is skipped', 'was skipped everywhere'],
    ['server/a.test.ts › is only planned', 'was skipped everywhere'],
    ['server/a.test.ts › the year …', 'was skipped everywhere'],
    ['e2e/b.spec.ts › on none', 'was skipped everywhere'],
    ['e2e/b.spec.ts › fails on one', 'failed'],
  ])('“%s” is none: %s', (name, fault) => {
    expect(faultsOfProofs([row(name)], outcomes).join('\n')).toContain(fault);
    // One that holds does not make up for it.
    expect(faultsOfProofs([row('e2e/b.spec.ts › on both', name)], outcomes)).not.toEqual([]);
  });
});

test('another document’s proofs are read wherever they stand, and looked for in the same reports', () => {
  const rows = proofsIn(
    'Text.\n| 1.2 | `e2e/a.spec.ts › b › c`, `server/x.ts` | `d.test.ts › e …`<br>`d.test.ts › f` |\n',
  );
  expect(rows.map(({ number, tests }) => [number, ...tests])).toEqual([
    ['of line 2', 'e2e/a.spec.ts › b › c', 'd.test.ts › e …', 'd.test.ts › f'],
  ]);
  expect(faultsOfProofs(rows, new Map([['d.test.ts › f', 'passed']]))).toHaveLength(2);
});

import { describe, expect, test } from 'vitest';
import { faultsOfProofs, outcomesOf, proofsIn, readTable, summaryOf } from './conformance.ts';

/*
 * Somebody breaks each rule of docs/conformance.md, to see that it is seen.
 */

const document = (...rows: string[]) =>
  [
    '# Conformance',
    '## 1. One section',
    '| # | Statement | Proved by | Reading |',
    '| --- | :-: | --- | --- |',
    ...rows,
    '## The decisions',
    '- **D1** The first one.',
    '- **D2** The second one.',
  ].join('\n');

const good = [
  '| 1.1 | A text | `a.test.ts › one` | D1 |',
  '| 1.2 | A rule | `a.test.ts › two`<br>`b.spec.ts › three` | D1, D2 |',
];

describe('the table', () => {
  test('as it should be has its rows, tests and decisions, and no fault', () => {
    expect(readTable(document(...good))).toEqual({
      rows: [
        { number: '1.1', statement: 'A text', tests: ['a.test.ts › one'], decisions: ['D1'] },
        {
          number: '1.2',
          statement: 'A rule',
          tests: ['a.test.ts › two', 'b.spec.ts › three'],
          decisions: ['D1', 'D2'],
        },
      ],
      decisions: ['D1', 'D2'],
      faults: [],
    });
  });

  test('may have a bar in a cell', () => {
    const { rows, faults } = readTable(document(...good, '| 1.3 | one \\| two | `a.test.ts › a \\| b` |  |'));
    expect(faults).toEqual([]);
    expect(rows.at(-1)).toMatchObject({ statement: 'one | two', tests: ['a.test.ts › a | b'], decisions: [] });
  });

  test.each([
    ['a row without a test', '| 1.3 | A rule |  |  |', 'row 1.3 has no test'],
    ['a gap in the numbers', '| 1.4 | A rule | `a.test.ts › one` |  |', 'row 1.4 stands where 1.3 belongs'],
    ['a number twice', '| 1.2 | A rule | `a.test.ts › one` |  |', 'row 1.2 stands where 1.3 belongs'],
    ['a number of another section', '| 2.3 | A rule | `a.test.ts › one` |  |', 'row 2.3 stands where 1.3 belongs'],
    ['a row without a statement', '| 1.3 |  | `a.test.ts › one` |  |', 'row 1.3 states nothing'],
    ['a row with a cell too few', '| 1.3 | A rule | `a.test.ts › one` |', 'this is no row'],
    ['a row with a cell too many', '| 1.3 | A rule | `a.test.ts › one` | D1 | D2 |', 'this is no row'],
    ['a row that is not closed', '| 1.3 | A rule | `a.test.ts › one` | D1', 'this is no row'],
    ['a row that is not opened', '1.3 | A rule | `a.test.ts › one` | D1 |', 'this is no row'],
    ['a test without backticks', '| 1.3 | A rule | a.test.ts › one |  |', 'row 1.3: write each test'],
    ['a test without a file', '| 1.3 | A rule | `one` |  |', 'row 1.3: write each test'],
    [
      'two tests without a break',
      '| 1.3 | A rule | `a.test.ts › one`, `a.test.ts › two` |  |',
      'row 1.3: write each test',
    ],
    [
      'a reading that is no decision',
      '| 1.3 | A rule | `a.test.ts › one` | decision 1 |',
      'row 1.3: write the reading',
    ],
    ['a decision that nobody knows', '| 1.3 | A rule | `a.test.ts › one` | D3 |', 'row 1.3 refers to D3'],
    ['a section out of its order', '## 3. Another section', 'section 3 stands where section 2 belongs'],
    ['a decision out of its order', '- **D9** Another one.', 'D9 stands where D1 belongs'],
  ])('%s is a fault', (_, line, fault) => {
    expect(readTable(document(...good, line)).faults.join('\n')).toContain(fault);
  });

  test('a decision to which no row refers is a fault', () => {
    expect(readTable(document(good[0] ?? '')).faults).toEqual([
      'D2 is in the list of decisions, and no row refers to it: name it where it applies',
    ]);
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
  const row = (...tests: string[]) => ({ number: '1.1', statement: 'A rule', tests, decisions: [] });

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

  test('that many rows miss are named once, with the rows', () => {
    const missing = 'a.test.ts › nowhere';
    expect(faultsOfProofs([row(missing), { ...row(missing), number: '1.2' }], outcomes)).toEqual([
      'row 1.1, 1.2: no test is called “a.test.ts › nowhere”: correct the name, or write the test',
    ]);
  });

  test('are counted', () => {
    const rows = [row('e2e/b.spec.ts › on both'), row('e2e/b.spec.ts › on none'), row()];
    expect(summaryOf({ rows, decisions: [], faults: [] }, outcomes)).toBe('conformance: 3 rows, 1 proved');
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

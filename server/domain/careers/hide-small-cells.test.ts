import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TracerRow } from '#contract/staff/careers.ts';
import { allYears } from '#contract/staff/tracer-counts.ts';
import { type CountedRow, hideSmallCells, sumRows } from './hide-small-cells.ts';

const people: CountedRow = {
  college: 'Science',
  department: 'Physics',
  program: 'BSc',
  year: 2020,
  onRoster: 100,
  reached: 80,
  answered: 40,
  working: 25,
  inField: 10,
  study: 5,
  seeking: 5,
};

const noOutcomes = { working: 0, inField: 0, study: 0, seeking: 0 };

const hiddenOutcomes = { working: null, inField: null, study: null, seeking: null };

const toYears = (...answers: number[]): CountedRow[] =>
  answers.map((answered, at) => ({ ...people, year: 2020 + at, ...noOutcomes, answered }));

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

type Outcomes = Pick<CountedRow, 'working' | 'inField' | 'study' | 'seeking'>;

function* enumerateOutcomes(answered: number): Generator<Outcomes> {
  for (const working of range(0, answered))
    for (const inField of range(0, working))
      for (const study of range(0, answered - working))
        for (const seeking of range(0, answered - working - study)) yield { working, inField, study, seeking };
}

/** Returns all lists with one item of each list of choices. */
const combineChoices = <Item>(choices: readonly Item[][]): Item[][] =>
  choices.reduce<Item[][]>((lists, items) => lists.flatMap((list) => items.map((item) => [...list, item])), [[]]);

function hiddenCountsOf(row: CountedRow, shown: TracerRow | undefined): [string, number][] {
  const { answered, working, inField, study, seeking } = row;
  return [
    ...(shown?.answered === null ? Object.entries({ answered }) : []),
    ...(shown?.working === null ? Object.entries({ working, notWorking: answered - working }) : []),
    ...(shown?.inField === null ? Object.entries({ inField, notInField: working - inField }) : []),
    ...(shown?.study === null ? Object.entries({ study, seeking, other: answered - working - study - seeking }) : []),
  ];
}

/** Collects the values of hidden counts that a reader who knows the rule cannot exclude. */
class Reader {
  private readonly possible = new Map<string, Map<string, Set<number>>>();

  add(shown: readonly TracerRow[], hidden: readonly [string, number][]): void {
    const seen = shown.map((row) => JSON.stringify(row)).join(';');
    const byName = this.possible.get(seen) ?? new Map<string, Set<number>>();
    if (byName.size === 0) this.possible.set(seen, byName);
    for (const [name, value] of hidden) {
      const values = byName.get(name);
      if (values) values.add(value);
      else byName.set(name, new Set([value]));
    }
  }

  /** Returns the hidden counts with too few possible values. */
  findLeaks(minimum: (name: string) => number = () => 5): string[] {
    return [...this.possible].flatMap(([seen, byName]) =>
      [...byName]
        .filter(([name, values]) => values.size < minimum(name))
        .map(([name, values]) => `${name} ${[...values].join()}: ${seen}`),
    );
  }
}

describe('hideSmallCells', () => {
  test('shows outcomes of at least 5 people each', () => expect(hideSmallCells([people])).toEqual([people]));

  test.each<[string, Partial<CountedRow>, Partial<TracerRow>]>([
    ['all outcomes if 4 work', { answered: 19, working: 4, inField: 0 }, hiddenOutcomes],
    ['all outcomes if 4 do not work', { answered: 29, study: 0, seeking: 0 }, hiddenOutcomes],
    ['the field if 4 work in it', { inField: 4 }, { inField: null }],
    ['the field if 4 work in another', { inField: 21 }, { inField: null }],
    ['study and seeking if 4 study', { study: 4 }, { study: null, seeking: null }],
    ['study and seeking if 4 seek work', { seeking: 4 }, { study: null, seeking: null }],
    ['study and seeking if 4 do something else', { study: 6 }, { study: null, seeking: null }],
    ['4 on the roster', { onRoster: 4 }, { onRoster: null }],
    ['4 reached', { reached: 4 }, { reached: null }],
    ['4 answers', { answered: 4, ...noOutcomes }, { answered: null, ...hiddenOutcomes }],
    ['zero', { answered: 0, ...noOutcomes }, { answered: null, ...hiddenOutcomes }],
  ])('hides %s', (_, counts, expected) => {
    const row = { ...people, ...counts };
    const other = row.answered - row.working - row.study - row.seeking;
    expect(other).toBeGreaterThanOrEqual(0);
    expect(hideSmallCells([row])).toEqual([{ ...row, ...expected }]);
  });

  // 25 answers suffice for all outcomes to be shown.
  test('leaves 5 possible values of each hidden count of a row', () => {
    const reader = new Reader();
    for (const answered of [...range(0, 26), 40])
      for (const outcomes of enumerateOutcomes(answered)) {
        const row = { ...people, answered, ...outcomes };
        const shown = hideSmallCells([row]);
        reader.add(shown, hiddenCountsOf(row, shown[0]));
      }
    expect(reader.findLeaks()).toEqual([]);
  });

  test.each([
    ['no year', [4, 3, 3, 3, 3, 0], 16],
    ['just under half of the answers', [7, 4, 4, 0, 0, 0], 15],
    ['fewer than 5 answers', [1, 1, 0, 0, 0, 0], null],
  ])('combines the years of a program that can show %s', (_, answers, answered) => {
    const other = { ...people, program: 'MSc' };
    expect(hideSmallCells([...toYears(...answers), other])).toEqual([
      { ...people, ...hiddenOutcomes, year: allYears, onRoster: 600, reached: 480, answered },
      other,
    ]);
  });

  test.each([
    ['half of the answers', [8, 4, 4, 0, 0, 0]],
    ['no year, but so many answers that their sum would reveal years', [4, 4, 4, 4, 4, 4]],
    ['no year, because there are no answers', [0, 0, 0, 0, 0, 0]],
  ])('keeps the years of a program that can show %s', (_, answers) =>
    expect(hideSmallCells(toYears(...answers)).map(({ year }) => year)).toEqual(range(2020, 2025)),
  );

  test('leaves 5 possible numbers of answers of each hidden year, or as many as people were reached', () => {
    for (const reached of [...combineChoices([[3, 9], [9]]), ...combineChoices([[2, 9], [3, 9], [9]]), [9, 9, 9, 9]]) {
      const reader = new Reader();
      for (const answers of combineChoices(reached.map((count) => range(0, count)))) {
        const shown = hideSmallCells(toYears(...answers).map((row, at) => ({ ...row, reached: reached[at] ?? 0 })));
        const hidden = answers.flatMap((answered, at): [string, number][] =>
          shown.length === answers.length && shown[at]?.answered !== null ? [] : [[`${at}`, answered]],
        );
        reader.add(shown, hidden);
      }
      expect(reader.findLeaks((at) => Math.min(5, (reached[Number(at)] ?? 0) + 1))).toEqual([]);
    }
  });

  test('leaves 5 possible values of the outcomes of years that are combined', () => {
    const reader = new Reader();
    const choices = range(0, 4).flatMap((answered) => range(0, answered).map((working) => ({ answered, working })));
    for (const years of combineChoices(Array.from({ length: 4 }, () => choices))) {
      const rows = toYears(0, 0, 0, 0).map((row, at) => ({ ...row, ...years[at] }));
      reader.add(
        hideSmallCells(rows),
        rows.flatMap(({ answered, working }, at): [string, number][] => [
          [`working ${at}`, working],
          [`not working ${at}`, answered - working],
        ]),
      );
    }
    expect(reader.findLeaks()).toEqual([]);
  });

  test('shows no count and no difference of counts under 5 in random tables', () => {
    const row = fc
      .record({
        program: fc.constantFrom('BSc', 'MSc', null),
        inField: fc.nat(20),
        notInField: fc.nat(20),
        study: fc.nat(20),
        seeking: fc.nat(20),
        other: fc.nat(20),
        notAnswered: fc.nat(9),
      })
      .map(({ notInField, other, notAnswered, ...row }) => {
        const working = row.inField + notInField;
        const answered = working + row.study + row.seeking + other;
        const reached = answered + notAnswered;
        return { ...people, ...row, working, answered, reached, onRoster: reached + notAnswered };
      });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), (rows) => {
        const years = rows.map((row, at) => ({ ...row, year: 2000 + at }));
        for (const { onRoster, reached, answered, working, inField, study, seeking } of hideSmallCells(years)) {
          const shown = [onRoster, reached, answered, working, inField, study, seeking].filter(
            (count) => count !== null,
          );
          if (answered !== null && working !== null) shown.push(answered - working);
          if (working !== null && inField !== null) shown.push(working - inField);
          if (answered !== null && working !== null && study !== null && seeking !== null)
            shown.push(answered - working - study - seeking);
          expect(study === null).toBe(seeking === null);
          expect(Math.min(5, ...shown)).toBe(5);
        }
      }),
      { seed: 7, numRuns: 1_000 },
    );
  });
});

test('sumRows adds shown counts only', () => {
  const rows = hideSmallCells([people, { ...people, year: 2021, inField: 4, seeking: 4 }, ...toYears(4)]);
  expect(sumRows(rows)).toEqual({
    onRoster: 300,
    reached: 240,
    answered: 80,
    working: 50,
    inField: 10,
    study: 5,
    seeking: 5,
  });
  expect(sumRows(hideSmallCells(toYears(4)))).toEqual({
    onRoster: 100,
    reached: 80,
    answered: null,
    ...hiddenOutcomes,
  });
});

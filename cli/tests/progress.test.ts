import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createProgress } from '../support/progress.ts';

const secondMs = 1_000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const advanceTime = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

function startBar(isTTY: boolean, total: number | null) {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  return { written, bar: createProgress({ isTTY, write })('Importing', total) };
}

describe('createProgress', () => {
  test('updates one line of a terminal and ends it with a newline', () => {
    const { written, bar } = startBar(true, 2_000);
    bar.add();
    expect(written).toEqual([]);
    advanceTime(secondMs);
    bar.add(999);
    bar.add(500);
    bar.add(500);
    bar[Symbol.dispose]();
    expect(written).toEqual([
      '\r\u001B[KImporting  1,000 of 2,000 (50 %)',
      '\r\u001B[KImporting  2,000 of 2,000 (100 %)\n',
    ]);
  });

  test('writes a line every ten seconds to a log, without control characters', () => {
    const { written, bar } = startBar(false, 2_000);
    advanceTime(secondMs);
    bar.add(500);
    expect(written).toEqual([]);
    advanceTime(10 * secondMs);
    bar.add(500);
    bar[Symbol.dispose]();
    const line = 'Importing  1,000 of 2,000 (50 %)\n';
    expect(written).toEqual([line, line]);
  });

  test.each([
    [null, 1_234, 'Importing  1,234\n'],
    [0, 0, 'Importing  0 of 0\n'],
    [10, 25, 'Importing  25 of 10 (100 %)\n'],
  ])('shows a total of %s with %s done as %j', (total, done, line) => {
    const { written, bar } = startBar(false, total);
    bar.add(done);
    bar[Symbol.dispose]();
    expect(written).toEqual([line]);
  });
});

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createProgress } from './progress.ts';

const second = 1_000;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const letPass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

/** A bar, and every piece of text that it has written. */
function begin(isTTY: boolean, total: number | null) {
  const written: string[] = [];
  const write = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  return { written, bar: createProgress({ isTTY, write })('Importing', total) };
}

describe('how far a command is', () => {
  test('is a bar at a terminal, drawn over itself a few times a second, and ended with a line of its own', () => {
    const { written, bar } = begin(true, 2_000);
    bar.add();
    expect(written).toEqual([]);
    letPass(second);
    bar.add(999);
    bar.add(500);
    expect(written).toEqual(['\r\u001B[KImporting  ████████████░░░░░░░░░░░░ 50 %  1,000 of 2,000']);
    letPass(second);
    bar.add(500);
    bar.end();
    expect(written.slice(1)).toEqual([
      '\r\u001B[KImporting  ████████████████████████ 100 %  2,000 of 2,000',
      '\r\u001B[KImporting  ████████████████████████ 100 %  2,000 of 2,000\n',
    ]);
  });

  test('is a line now and then in a log, with nothing that only a terminal understands', () => {
    const { written, bar } = begin(false, 2_000);
    letPass(second);
    bar.add(500);
    expect(written).toEqual([]);
    letPass(10 * second);
    bar.add(500);
    bar.end();
    const line = 'Importing  ████████████░░░░░░░░░░░░ 50 %  1,000 of 2,000\n';
    expect(written).toEqual([line, line]);
    for (const sign of ['\r', '\u001B']) expect(written.join('')).not.toContain(sign);
  });

  test('is a count alone where nobody knows how much there is, or where there is nothing', () => {
    for (const isTTY of [true, false]) {
      const unknown = begin(isTTY, null);
      unknown.bar.add(1_234);
      unknown.bar.end();
      expect(unknown.written.join('')).toMatch(/Importing {2}1,234\n$/u);
      const none = begin(isTTY, 0);
      none.bar.end();
      expect(none.written.join('')).toMatch(/Importing {2}0 of 0\n$/u);
    }
  });

  test('never says more than all of it', () => {
    const { written, bar } = begin(true, 10);
    bar.add(25);
    bar.end();
    expect(written.join('')).toContain('████████████████████████ 100 %  25 of 10');
  });
});

import type { WriteStream } from 'node:tty';
import type { Progress } from './command.ts';

/** Milliseconds between two updates: short for a terminal, long for a log, which stays readable. */
const intervalsMs = { terminal: 100, log: 10_000 };

export function createProgress(
  to: Pick<WriteStream, 'write' | 'isTTY'>,
): (label: string, total: number | null) => Progress {
  return (label, total) => {
    let done = 0;
    let last = Date.now();
    const show = (end: string) => {
      const share = total ? ` (${Math.min(100, Math.floor((done / total) * 100))} %)` : '';
      const count = [done, ...(total === null ? [] : [total])]
        .map((number) => number.toLocaleString('en'))
        .join(' of ');
      to.write(`${to.isTTY ? '\r\u001B[K' : ''}${label}  ${count}${share}${end}`);
    };
    return {
      add: (count = 1) => {
        done += count;
        if (Date.now() - last < (to.isTTY ? intervalsMs.terminal : intervalsMs.log)) return;
        last = Date.now();
        show(to.isTTY ? '' : '\n');
      },
      [Symbol.dispose]: () => show('\n'),
    };
  };
}

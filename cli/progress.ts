import type { WriteStream } from 'node:tty';
import type { Progress } from './command.ts';

/** Cells of a bar. */
const width = 24;

/** Milliseconds between two drawings at a terminal, and between two lines where it is not one. */
const pauses = { terminal: 100, file: 10_000 };

/** Bars at a terminal; elsewhere a line every ten seconds, so that a log of a night's backup stays readable. */
export function createProgress(
  to: Pick<WriteStream, 'write' | 'isTTY'>,
): (label: string, total: number | null) => Progress {
  return (label, total) => {
    let done = 0;
    let last = Date.now();
    const draw = (end: string) => {
      const share = total === null || total === 0 ? null : Math.min(1, done / total);
      const bar =
        share === null
          ? ''
          : `${'█'.repeat(Math.round(share * width)).padEnd(width, '░')} ${Math.floor(share * 100)} %  `;
      const count =
        total === null ? done.toLocaleString('en') : `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
      to.write(`${to.isTTY ? '\r\u001B[K' : ''}${label}  ${bar}${count}${end}`);
    };
    return {
      add: (count = 1) => {
        done += count;
        if (Date.now() - last < (to.isTTY ? pauses.terminal : pauses.file)) return;
        last = Date.now();
        draw(to.isTTY ? '' : '\n');
      },
      end: () => draw('\n'),
    };
  };
}

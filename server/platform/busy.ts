import { AsyncLocalStorage } from 'node:async_hooks';

/** What is being worked on right now. Whoever only waits for their turn takes nothing from anybody, and does not count. */
export interface Busy {
  readonly count: number;
  begin(): Piece;
}

/** One piece of work, which counts from its beginning. */
export interface Piece {
  /** Does the work, or a part of it; what waits in there with `resting` waits as this piece. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** From now on it does not count; more than once is once. */
  end(): void;
}

const current = new AsyncLocalStorage<{ wait(by: 1 | -1): void }>();

export function createBusy(): Busy {
  let count = 0;
  return {
    get count() {
      return count;
    },
    begin: () => {
      let [waits, isOver, own] = [0, false, 0];
      const recount = () => {
        const now = isOver || waits > 0 ? 0 : 1;
        count += now - own;
        own = now;
      };
      const wait = (by: 1 | -1) => {
        waits += by;
        recount();
      };
      recount();
      return {
        run: (work) => current.run({ wait }, work),
        end: () => {
          isOver = true;
          recount();
        },
      };
    },
  };
}

/** Waits for something that is no work: a turn in a line, a pause on purpose. */
export async function resting(wait: Promise<unknown>): Promise<void> {
  const piece = current.getStore();
  piece?.wait(1);
  try {
    await wait;
  } finally {
    piece?.wait(-1);
  }
}

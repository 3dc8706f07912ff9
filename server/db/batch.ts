import { setImmediate as nextEventLoopTurn } from 'node:timers/promises';

const maxKeys = 100;

/**
 * Returns a function that loads one value by its key. Calls of concurrent requests in the same turn of the event loop
 * share one call of `load`, because a statement costs more CPU time than the rows that it reads. Nothing is cached:
 * `load` always starts after the call.
 * @param load returns the values by key, without the keys that do not exist
 */
export function createBatchLoader<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let waiting: { readonly keys: Set<string>; readonly values: Promise<ReadonlyMap<string, Value>> } | null = null;
  const startBatch = () => {
    const keys = new Set<string>();
    const loadNextTurn = async () => {
      await nextEventLoopTurn();
      if (waiting?.keys === keys) waiting = null;
      return load([...keys]);
    };
    return { keys, values: loadNextTurn() };
  };
  return async (key) => {
    if (waiting === null || waiting.keys.size >= maxKeys) waiting = startBatch();
    const { keys, values } = waiting;
    keys.add(key);
    return (await values).get(key);
  };
}

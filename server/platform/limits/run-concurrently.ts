/** Runs work for each item, for up to 16 at a time. After a failure, starts no more and rejects. */
export async function runConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  for await (const item of items) {
    const run: Promise<void> = work(item).finally(() => running.delete(run));
    running.add(run);
    // Handled by `race` or `all` below.
    run.catch(() => undefined);
    if (running.size >= maxConcurrent) await Promise.race(running);
  }
  await Promise.all(running);
}

const maxConcurrent = 16;

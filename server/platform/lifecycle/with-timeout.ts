/**
 * Waits for a promise, at most `timeoutMs` milliseconds. A later result is ignored.
 * @throws Error with the code `ETIMEDOUT` after the timeout
 */
export async function withTimeout<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`Timed out after ${timeoutMs} ms.`), { code: 'ETIMEDOUT' });
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Waits so many milliseconds for something, and no longer; what it may still become is nobody's concern then.
 * @throws Error with the code `ETIMEDOUT` when the time is over
 */
export async function withTimeout<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`There was no answer within ${timeoutMs} ms.`), { code: 'ETIMEDOUT' });
    timer = setTimeout(() => reject(error), timeoutMs);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

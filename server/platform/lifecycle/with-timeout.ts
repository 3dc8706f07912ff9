/**
 * Waits so many milliseconds for something, and no longer; what it may still become is nobody's concern then.
 * @throws Error with the code `ETIMEDOUT` when the time is over
 */
export async function inTime<Result>(work: Promise<Result>, milliseconds: number): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`There was no answer within ${milliseconds} ms.`), { code: 'ETIMEDOUT' });
    timer = setTimeout(() => reject(error), milliseconds);
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
  }
}

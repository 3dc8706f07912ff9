/** Where `requestIdleCallback` does not exist, runs after two seconds. */
export function runWhenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work);
  else setTimeout(work, 2_000);
}

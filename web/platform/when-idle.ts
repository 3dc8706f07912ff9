/** Runs after two seconds where `requestIdleCallback` does not exist. */
export function runWhenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work);
  else setTimeout(work, 2_000);
}

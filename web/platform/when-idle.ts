/** Does something as soon as nothing more urgent is to be done. */
export function runWhenIdle(work: () => void): void {
  if ('requestIdleCallback' in window) requestIdleCallback(work);
  else setTimeout(work, 2_000);
}

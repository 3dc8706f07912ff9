export type ToastKind = 'success' | 'error' | 'info';

/** The part that draws is loaded when the page is idle, or with the first toast: no first paint waits for it. */
const load = () => import('./toast-host.tsx');

/** Shows a toast: top right, five seconds, waiting while somebody points at it (specification, section 9). */
export function toast(kind: ToastKind, text: string): void {
  void load().then(({ show }) => show(kind, text));
}

export function preloadToasts(): void {
  if ('requestIdleCallback' in window) requestIdleCallback(() => void load());
  else setTimeout(() => void load(), 2_000);
}

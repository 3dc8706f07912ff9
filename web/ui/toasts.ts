export type ToastKind = 'success' | 'error' | 'info';

/** The part that draws is loaded when the page is idle, or with the first toast: no first paint waits for it. */
const load = () => import('./toast-host.tsx');

/** Shows a toast: top right, five seconds, waiting while somebody points at it (specification, section 9). */
export function toast(kind: ToastKind, text: string): void {
  load().then(
    ({ show }) => show(kind, text),
    // Offline before it was ever loaded: then the words have to do without their looks.
    () => {
      const words = document.createElement('p');
      words.role = 'alert';
      words.className = 'plain-toast';
      words.textContent = text;
      document.body.append(words);
      setTimeout(() => words.remove(), 5_000);
    },
  );
}

export function preloadToasts(): void {
  const tryToLoad = () => void load().catch(() => undefined);
  if ('requestIdleCallback' in window) requestIdleCallback(tryToLoad);
  else setTimeout(tryToLoad, 2_000);
}

export type ToastKind = 'success' | 'error' | 'info';

/** The part that draws is loaded when the page is idle, or with the first toast: no first paint waits for it. */
const load = () => import('./toast-host.tsx');

/** Shows a toast: top right, five seconds, waiting while somebody points at it (specification, section 9). */
export function toast(kind: ToastKind, text: string): void {
  load().then(
    ({ show }) => show(kind, text),
    // Offline before it was ever loaded: then the words have to do without their looks.
    () => {
      const words = sayPlainly(text);
      setTimeout(() => words.remove(), 5_000);
    },
  );
}

/** Puts a line on the page with nothing but what every browser has. @returns the line, which stays until it is removed */
function sayPlainly(text: string): HTMLElement {
  const words = document.createElement('p');
  words.role = 'alert';
  words.className = 'plain-toast';
  words.textContent = text;
  document.body.append(words);
  return words;
}

let offer: HTMLElement | undefined;

/**
 * Says that some of the page's scripts did not come. They are asked for again with the whole page: a browser remembers
 * which ones did not come, and after an update they have other names.
 */
export function offerReload(): void {
  offer?.remove();
  offer = sayPlainly('A part of this page did not come. ');
  const button = document.createElement('button');
  button.className = 'link';
  button.textContent = 'Load again';
  button.onclick = () => location.reload();
  offer.append(button);
}

export const preloadToasts = (): void => void load().catch(() => undefined);

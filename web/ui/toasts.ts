import { ChunkError, loadChunk } from '../platform/load-chunk.ts';
import type { ToastKind } from './toast-host.tsx';

/** The part that draws is loaded when the page is idle, or with the first toast: no first paint waits for it. */
const loadToastHost = () => loadChunk(() => import('./toast-host.tsx'));

/** Shows a toast: top right, five seconds, waiting while somebody points at it (specification, section 9). */
export function toast(kind: ToastKind, text: string): void {
  loadToastHost().then(
    ({ show }) => show(kind, text),
    // Offline before it was ever loaded: then the words have to do without their looks.
    () => {
      const words = showPlainToast(text);
      setTimeout(() => words.remove(), 5_000);
    },
  );
}

/** Puts a line on the page with nothing but what every browser has. @returns the line, which stays until it is removed */
function showPlainToast(text: string): HTMLElement {
  const words = document.createElement('p');
  words.role = 'alert';
  words.className = 'plain-toast';
  words.textContent = text;
  // Everything outside of a modal dialog is inert.
  ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(words);
  return words;
}

let retryToast: HTMLElement | undefined;

/** Says that a part of the page did not load, in the specification's words (section 8), and offers another try. */
export function offerRetry(error: unknown, retry: () => void): void {
  retryToast?.remove();
  const element = showPlainToast('ERROR: Failed to fetch data ');
  const button = document.createElement('button');
  button.className = 'link min-h-11';
  button.textContent = 'TRY AGAIN';
  button.onclick = () => {
    element.remove();
    if (error instanceof ChunkError && error.needsReload) location.reload();
    else retry();
  };
  element.append(button);
  retryToast = element;
}

export const preloadToasts = (): void => void loadToastHost().catch(() => undefined);

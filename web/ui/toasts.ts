import { ChunkError, loadChunk } from '#web/platform/load-chunk.ts';
import type { ToastKind } from './toast-host.tsx';

/** Loaded when the browser is idle or with the first toast, so that it does not delay the first paint. */
const loadToastHost = () => loadChunk(() => import('./toast-host.tsx'));

/**
 * Shows a toast for five seconds at the top right, at most three at a time. The timer pauses while
 * the pointer is over the toast (specification, section 9).
 */
export function toast(kind: ToastKind, text: string): void {
  loadToastHost().then(
    ({ show }) => show(kind, text),
    // The toast component failed to load, for example offline.
    () => {
      const element = showPlainToast(text);
      setTimeout(() => element.remove(), 5_000);
    },
  );
}

function showPlainToast(text: string): HTMLElement {
  const element = document.createElement('p');
  element.role = 'alert';
  element.className = 'plain-toast';
  element.textContent = text;
  // Everything outside a modal dialog is inert.
  ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(element);
  return element;
}

let retryToast: HTMLElement | undefined;

/** Shows the specification's message (section 8), with a retry button. */
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

import { createRoot } from 'react-dom/client';
// The entry without styles of its own: the other one writes a <style> at run time, which our policy refuses.
import { ToastContainer, toast } from 'react-toastify/unstyled';
import { loadStyles } from '../platform/styles.ts';
import styles from './toast-host.css?url&no-inline';

export type ToastKind = 'success' | 'error' | 'info';

await loadStyles(styles);

const host = document.createElement('div');
host.className = 'toasts';
host.popover = 'manual';

/** Puts the toasts into the topmost modal dialog, because everything outside of it is inert, and above all else there. */
function moveHost(): void {
  const parent = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  if (host.parentNode === parent) return;
  parent.append(host);
  host.showPopover?.();
}

moveHost();
new MutationObserver(() => {
  moveHost();
  avoidControlsSoon();
}).observe(document.body, {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['open'],
});

/**
 * Moves the toasts down to the first place in the upper half of the screen where they cover no control. On a wall of cards there is
 * none: then to the first place where small controls, and the middle of large ones such as cards, stay free. On a list of rows there may
 * be none of these either: then to the first place where the middle of every row stays free.
 */
function avoidControls(): void {
  const container = host.querySelector<HTMLElement>('.Toastify__toast-container');
  if (!container) return;
  container.style.top = '';
  const { top: start, left, right, height } = container.getBoundingClientRect();
  const boxes = [...document.querySelectorAll('a[href], button, input, select, textarea')]
    .filter((control) => !host.contains(control))
    .map((control) => control.getBoundingClientRect());
  const controls = boxes.filter((box) => box.width > 1 && box.left < right && box.right > left);
  const middleOf = (box: DOMRect) => ({ top: (box.top + box.bottom) / 2, bottom: (box.top + box.bottom) / 2 });
  const spots = controls.map((box) => (box.height > 2 * height ? middleOf(box) : box));
  const end = innerHeight - height;
  const top =
    findFreeTop(controls, start, innerHeight / 2, height) ??
    findFreeTop(spots, start, end, height) ??
    findFreeTop(controls.map(middleOf), start, end, height);
  if (top !== undefined) container.style.top = `${top}px`;
}

/** Returns the first top edge between `start` and `end` at which a box of this height touches none of the others. */
function findFreeTop(
  boxes: readonly { readonly top: number; readonly bottom: number }[],
  start: number,
  end: number,
  height: number,
): number | undefined {
  let top = start;
  for (;;) {
    const covered = boxes.find((box) => box.top < top + height && box.bottom > top);
    if (!covered) break;
    top = covered.bottom + gapPx;
  }
  return top < end ? top : undefined;
}

const gapPx = 4;

let frame = 0;

/** In the next frame: the toasts have their size by then, and a page that has just been replaced its controls. */
function avoidControlsSoon(): void {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(avoidControls);
}

toast.onChange(avoidControlsSoon);

// Every property of the specification's section 9 is written out, also where it is the library's default.
createRoot(host).render(
  <ToastContainer
    position="top-right"
    autoClose={5000}
    pauseOnHover
    pauseOnFocusLoss
    draggable
    draggablePercent={80}
    theme="light"
    role="alert"
    closeOnClick={false}
  />,
);

/** The toasts that were shown and not dismissed, by kind. */
const shown: Record<ToastKind, Set<string>> = { success: new Set(), error: new Set(), info: new Set() };

/** A success dismisses earlier errors and hints, such as "Please login to continue". An error dismisses earlier successes. */
const contradictedKinds: Record<ToastKind, readonly ToastKind[]> = {
  success: ['error', 'info'],
  error: ['success'],
  info: [],
};

export function show(kind: ToastKind, text: string): void {
  const toastId = `${kind}:${text}`;
  for (const other of contradictedKinds[kind]) for (const id of shown[other]) toast.dismiss(id);
  contradictedKinds[kind].forEach((other) => shown[other].clear());
  shown[kind].add(toastId);
  // The same words stand there once, and start their time anew.
  if (toast.isActive(toastId)) toast.update(toastId);
  else toast(text, { type: kind, toastId });
}

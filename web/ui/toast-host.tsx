import { createRoot } from 'react-dom/client';
// The default entry inserts a <style> element at run time, which the content security policy forbids.
import { ToastContainer, toast } from 'react-toastify/unstyled';
import { loadStyles } from '../platform/styles.ts';
import styles from './toast-host.css?url&no-inline';

export type ToastKind = 'success' | 'error' | 'info';

await loadStyles(styles);

const host = document.createElement('div');
host.className = 'toasts';
host.popover = 'manual';

/** Moves the toasts into the topmost modal dialog, because everything outside it is inert. */
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
 * Moves the toasts down so that controls stay usable. It takes the first position that exists:
 *
 * 1. in the upper half of the screen, where no control is covered
 * 2. where no small control and no middle of a large control, such as a card, is covered
 * 3. where no middle of any control is covered
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

/** Returns the first top position between `start` and `end`, in pixels, at which a box of this height overlaps no other. */
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

/** Schedules `avoidControls` for the next frame, when the toasts and the controls of a new page are laid out. */
function avoidControlsSoon(): void {
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(avoidControls);
}

toast.onChange(avoidControlsSoon);

// All properties of the specification's section 9 are explicit, even those that match the library's defaults.
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

/** The ids of toasts that were shown and not dismissed, by kind. */
const shown: Record<ToastKind, Set<string>> = { success: new Set(), error: new Set(), info: new Set() };

/** The kinds that a new toast dismisses: a success dismisses errors and infos, an error dismisses successes. */
const contradictedKinds: Record<ToastKind, readonly ToastKind[]> = {
  success: ['error', 'info'],
  error: ['success'],
  info: [],
};

/** Shows a toast and dismisses those that it contradicts. */
export function show(kind: ToastKind, text: string): void {
  const toastId = `${kind}:${text}`;
  for (const other of contradictedKinds[kind]) for (const id of shown[other]) toast.dismiss(id);
  contradictedKinds[kind].forEach((other) => shown[other].clear());
  shown[kind].add(toastId);
  // A toast with the same text is shown once, and its timer restarts.
  if (toast.isActive(toastId)) toast.update(toastId);
  else toast(text, { type: kind, toastId });
}

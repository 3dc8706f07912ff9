import { createRoot } from 'react-dom/client';
// The default entry inserts a <style> element at run time, which the content security policy forbids.
import { ToastContainer, toast } from 'react-toastify/unstyled';
import { loadAllStyles, loadStyles } from '../platform/styles.ts';
import styles from './toast-host.css?url&no-inline';

export type ToastKind = 'success' | 'error' | 'info';

await Promise.all([loadStyles(styles), loadAllStyles()]);

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

/** Parts that users cannot scroll from under the toasts, and headings. */
const fixedParts = 'h1, dialog h2, .sticky';

const controls = 'a[href], button, input, select, textarea';

/**
 * Moves the toasts away from their edge of the screen so that headings and controls stay usable. It takes the first position that exists:
 *
 * 1. where no fixed part, no small control and no middle of a large control, such as a card, is covered
 * 2. where no fixed part and no middle of any control is covered
 *
 * At the bottom of a phone, toasts only avoid fixed parts, so that they are always in the same place.
 */
function avoidControls(): void {
  const container = host.querySelector<HTMLElement>('.Toastify__toast-container');
  const parent = host.parentElement;
  if (!container || !parent) return;
  container.style.translate = '';
  const { top: start, left, right, height } = container.getBoundingClientRect();
  const boxesOf = (selector: string) =>
    [...parent.querySelectorAll(selector)]
      .filter((element) => !host.contains(element))
      .map((element) => element.getBoundingClientRect())
      .filter((box) => box.width > 1 && box.left < right && box.right > left);
  const middleOf = (box: DOMRect) => ({ top: (box.top + box.bottom) / 2, bottom: (box.top + box.bottom) / 2 });
  const wholeIfSmall = (box: DOMRect) => (box.height > 2 * height ? middleOf(box) : box);
  const fixed = boxesOf(fixedParts).map(wholeIfSmall);
  const boxes = isAtBottom(start) ? [] : boxesOf(controls);
  const top =
    findFreeTop([...fixed, ...boxes.map(wholeIfSmall)], start, height) ??
    findFreeTop([...fixed, ...boxes.map(middleOf)], start, height);
  if (top !== undefined) container.style.translate = `0 ${top - start}px`;
}

const isAtBottom = (top: number): boolean => top > innerHeight / 2;

/**
 * Returns the top position nearest to `start`, in pixels, at which toasts of this height overlap no box. Goes up from the lower half of the
 * screen, and down from the upper half.
 */
function findFreeTop(
  boxes: readonly { readonly top: number; readonly bottom: number }[],
  start: number,
  height: number,
): number | undefined {
  let top = start;
  for (;;) {
    const covered = boxes.find((box) => box.top < top + height && box.bottom > top);
    if (!covered) break;
    top = isAtBottom(start) ? covered.top - height - gapPx : covered.bottom + gapPx;
  }
  return top >= 0 && top <= innerHeight - height ? top : undefined;
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

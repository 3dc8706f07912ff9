import { createRoot } from 'react-dom/client';
// The default entry inserts a <style> element at run time, which the content security policy forbids.
import { type Id, ToastContainer, toast } from 'react-toastify/unstyled';
import { loadAllStyles, loadStyles } from '#web/platform/styles.ts';
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
  host.showPopover();
}

moveHost();
new MutationObserver(moveHost).observe(document.body, {
  subtree: true,
  childList: true,
  attributes: true,
  attributeFilter: ['open'],
});

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
    limit={3}
  />,
);

const shown: Record<ToastKind, Map<string, Id>> = { success: new Map(), error: new Map(), info: new Map() };

/** The kinds that a new toast dismisses: a success dismisses errors and infos, an error dismisses successes. */
const contradictedKinds: Record<ToastKind, readonly ToastKind[]> = {
  success: ['error', 'info'],
  error: ['success'],
  info: [],
};

export function show(kind: ToastKind, text: string): void {
  for (const other of contradictedKinds[kind]) {
    for (const id of shown[other].values()) toast.dismiss(id);
    shown[other].clear();
  }
  const last = shown[kind].get(text);
  // A toast with the same text is shown once, and its timer restarts. A toast that is disappearing cannot come back.
  if (last !== undefined && toast.isActive(last)) toast.update(last);
  else shown[kind].set(text, toast(text, { type: kind }));
}

import { createRoot } from 'react-dom/client';
// The entry without styles of its own: the other one writes a <style> at run time, which our policy refuses.
import { ToastContainer, toast } from 'react-toastify/unstyled';
import { loadStyles } from '../platform/styles.ts';
import styles from './toast-host.css?url&no-inline';
import type { ToastKind } from './toasts.ts';

await loadStyles(styles);

const place = document.body.appendChild(document.createElement('div'));

// Every property of the specification's section 9 is written out, also where it is the library's default.
createRoot(place).render(
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

export function show(kind: ToastKind, text: string): void {
  const toastId = `${kind}:${text}`;
  // The same words stand there once, and start their time anew.
  if (toast.isActive(toastId)) toast.update(toastId);
  else toast(text, { type: kind, toastId });
}

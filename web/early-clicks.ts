/*
 * Captures clicks before hydration and replays them after it. The build minifies this file, and every page has it
 * inline in its head, so it imports nothing.
 *
 * - Only controls that need JavaScript are captured. Links, menus and forms with an `action` work without JavaScript.
 * - A captured click does not reach React, which would otherwise handle a click during hydration as well.
 * - Each control is clicked once, in the order of the first clicks. Until then it is half transparent.
 * - If a translator or an extension has changed the page, React replaces its elements. The control with the same
 *   index among the controls is then clicked.
 * - If a script fails to load, the clicks are replayed for the browser, which submits forms that work without
 *   JavaScript. Forms that need JavaScript have the method `dialog`: the browser sends nothing and keeps the input.
 */

// With a data saver or on a slow network, the styles use the fonts of the system, which need no download.
const { connection } = navigator as { connection?: { saveData?: boolean; effectiveType?: string } };
if (connection && (connection.saveData || connection.effectiveType !== '4g'))
  document.documentElement.dataset['saveData'] = '';

const capturedClass = 'opacity-60';
const needsScripts = 'button:not([popovertarget],[action] *),[aria-haspopup],[type=checkbox]';
const listControls = () => [...document.querySelectorAll(needsScripts)];

const clicked = new Map<Element, number>();

function capture(event: Event): void {
  const control = event.target instanceof Element ? event.target.closest(needsScripts) : null;
  if (!control) return;
  event.preventDefault();
  event.stopPropagation();
  control.classList.add(capturedClass);
  clicked.set(control, listControls().indexOf(control));
}

function replay(): void {
  removeEventListener('click', capture, true);
  for (const [control, index] of clicked) {
    control.classList.remove(capturedClass);
    const current = control.isConnected ? control : listControls()[index];
    current?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
  }
  clicked.clear();
}

const replayLater = () => setTimeout(replay);

// The user can go back before hydration, so the page remembers what it was rendered for (`entry-client.tsx`).
window.renderedUrl = location.href;
addEventListener('click', capture, true);
// Root dispatches this event after hydration.
addEventListener('live', replayLater);
addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLScriptElement && target.type === 'module') replayLater();
  },
  true,
);

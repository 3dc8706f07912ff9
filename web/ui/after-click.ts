const waiting: (() => void)[] = [];
let isPressed = false;

const release = () => {
  isPressed = false;
  // A timeout runs after the click that follows `mouseup`.
  setTimeout(() => waiting.splice(0).forEach((work) => work()));
};

// A tap on a touch screen also sends mouse events, and moves the focus with them.
if (!import.meta.env.SSR) {
  addEventListener('mousedown', ({ button }) => (isPressed = button === 0), true);
  addEventListener('mouseup', release, true);
  addEventListener('dragend', release, true);
}

/** Runs a function immediately, or after the current click if the primary mouse button is down. */
export function runAfterClick(work: () => void): void {
  if (isPressed) waiting.push(work);
  else work();
}

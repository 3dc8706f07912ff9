import { useState, useSyncExternalStore } from 'react';

const tickMs = 250;

function subscribe(callback: () => void): () => void {
  const timer = setInterval(callback, tickMs);
  return () => clearInterval(timer);
}

/** Returns the time in milliseconds, updated four times a second; null on the server and before hydration. */
const useClock = (): number | null =>
  useSyncExternalStore(
    subscribe,
    () => Math.floor(Date.now() / tickMs) * tickMs,
    () => null,
  );

/**
 * Counts whole seconds down to 0. It uses the clock instead of counting ticks, because a sleeping phone skips ticks.
 * @param seconds seconds left now; a new value restarts the countdown
 * @returns the seconds left, and a function that restarts the countdown
 */
export function useCountdown(seconds: number): [left: number, restart: (seconds: number) => void] {
  const now = useClock();
  const [start, setStart] = useState(() => ({ initialSeconds: seconds, seconds, at: Date.now() }));
  if (start.initialSeconds !== seconds && now !== null) setStart({ initialSeconds: seconds, seconds, at: now });
  const left = now === null ? start.seconds : Math.max(0, Math.ceil((start.at + start.seconds * 1000 - now) / 1000));
  return [
    Math.min(left, start.seconds),
    (more) => setStart({ initialSeconds: seconds, seconds: more, at: Date.now() }),
  ];
}

export const formatCountdown = (seconds: number): string =>
  [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');

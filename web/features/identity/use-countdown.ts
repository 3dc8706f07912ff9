import { useEffect, useState } from 'react';

/**
 * Counts whole seconds down to 0, by the clock: a phone that slept does not count less.
 * @param seconds what is left now; a new value starts anew
 * @returns what is left, and how to start anew
 */
export function useCountdown(seconds: number): [left: number, restart: (seconds: number) => void] {
  const [left, setLeft] = useState(seconds);
  const [end, setEnd] = useState<number | null>(null);

  useEffect(() => {
    setLeft(seconds);
    setEnd(Date.now() + seconds * 1000);
  }, [seconds]);

  useEffect(() => {
    if (end === null) return undefined;
    const tick = () => {
      const now = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      setLeft(now);
      if (now === 0) clearInterval(timer);
    };
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [end]);

  const restart = (more: number) => {
    setLeft(more);
    setEnd(Date.now() + more * 1000);
  };
  return [left, restart];
}

/** `179` → `02:59`. */
export const minutesAndSeconds = (seconds: number): string =>
  [Math.floor(seconds / 60), seconds % 60].map((part) => String(part).padStart(2, '0')).join(':');

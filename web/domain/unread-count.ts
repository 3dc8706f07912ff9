import { useSyncExternalStore } from 'react';
import type { User } from '#contract/identity.ts';

/** The last number that the server told, and of which loaded user. */
let latest: { user: User; unread: number } | undefined;
const event = 'unread';

/** Takes over a number that the server has told. */
export function setUnreadCount(user: User, unread: number): void {
  latest = { user, unread };
  dispatchEvent(new Event(event));
}

const subscribe = (onTold: () => void) => {
  addEventListener(event, onTold);
  return () => removeEventListener(event, onTold);
};

/** How many notifications are unread: as loaded with the page, or as told since. */
export function useUnreadCount(user: User | null | undefined): number {
  const loaded = user?.unread ?? 0;
  return useSyncExternalStore(
    subscribe,
    () => (latest?.user === user ? (latest?.unread ?? loaded) : loaded),
    () => loaded,
  );
}

import { useSyncExternalStore } from 'react';
import type { User } from '#contract/identity.ts';

/** The last number that the server told, and of which loaded user. */
let told: { user: User; unread: number } | undefined;
const event = 'news';

/** Takes over a number that the server has told. */
export function tellUnread(user: User, unread: number): void {
  told = { user, unread };
  dispatchEvent(new Event(event));
}

const subscribe = (onTold: () => void) => {
  addEventListener(event, onTold);
  return () => removeEventListener(event, onTold);
};

/** How many notifications are unread: as loaded with the page, or as told since. */
export function useUnread(user: User | null | undefined): number {
  const loaded = user?.unread ?? 0;
  return useSyncExternalStore(
    subscribe,
    () => (told?.user === user ? (told?.unread ?? loaded) : loaded),
    () => loaded,
  );
}

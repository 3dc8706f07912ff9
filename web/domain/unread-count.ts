import { useSyncExternalStore } from 'react';
import type { User } from '#contract/identity.ts';

let latest: { user: User; unread: number } | undefined;
const event = 'unread';

export function setUnreadCount(user: User, unread: number): void {
  latest = { user, unread };
  dispatchEvent(new Event(event));
}

const subscribe = (onChange: () => void) => {
  addEventListener(event, onChange);
  return () => removeEventListener(event, onChange);
};

export function useUnreadCount(user: User | null | undefined): number {
  const loaded = user?.unread ?? 0;
  return useSyncExternalStore(
    subscribe,
    () => (latest?.user === user ? (latest?.unread ?? loaded) : loaded),
    () => loaded,
  );
}

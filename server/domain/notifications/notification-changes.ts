import type { Listener } from '#server/db/listener.ts';

/** PostgreSQL channel on which triggers send the id of each account whose notifications change (`tell_news`). */
export const notificationChannel = 'news';

export interface NotificationChanges {
  subscribe(accountId: string, onChange: () => void): () => void;
  countOf(accountId: string): number;
  close(): Promise<void>;
}

export function createNotificationChanges(listener: Listener): NotificationChanges {
  const subscribers = new Map<string, Set<() => void>>();
  const notifySubscribers = (accountId: string) => subscribers.get(accountId)?.forEach((onChange) => onChange());
  let stop: (() => void) | undefined;
  return {
    subscribe: (accountId, onChange) => {
      stop ??= listener.subscribe((changedId) => {
        // Null after a reconnect: changes may have been missed.
        if (changedId === null) for (const account of subscribers.keys()) notifySubscribers(account);
        else notifySubscribers(changedId);
      });
      const own = subscribers.get(accountId) ?? new Set();
      subscribers.set(accountId, own.add(onChange));
      return () => {
        own.delete(onChange);
        if (own.size === 0 && subscribers.get(accountId) === own) subscribers.delete(accountId);
      };
    },
    countOf: (accountId) => subscribers.get(accountId)?.size ?? 0,
    close: async () => {
      stop?.();
      await listener.close();
    },
  };
}

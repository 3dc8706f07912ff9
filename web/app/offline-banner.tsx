import { useSyncExternalStore } from 'react';

function subscribe(callback: () => void): () => void {
  addEventListener('online', callback);
  addEventListener('offline', callback);
  return () => {
    removeEventListener('online', callback);
    removeEventListener('offline', callback);
  };
}

export function OfflineBanner() {
  const online = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  return (
    <div role="status">
      {!online && (
        <p className="bg-ink px-4 py-2 text-center text-sm font-medium text-surface">
          You are offline. You can still read what is on the screen.
        </p>
      )}
    </div>
  );
}

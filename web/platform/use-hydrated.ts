import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Whether the page is live: false on the server and until the scripts have come. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );

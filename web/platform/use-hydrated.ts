import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Returns whether the page is hydrated: false on the server and until the scripts have run. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );

import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** Returns false on the server and until the scripts have run. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  );

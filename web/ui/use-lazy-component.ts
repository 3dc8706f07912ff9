import { type ComponentType, useState } from 'react';
import { offerRetry } from './toasts.ts';
import { loadChunk } from '#web/platform/load-chunk.ts';
import { loadAllStyles } from '#web/platform/styles.ts';

/**
 * Loads a component when it is opened. If loading fails, a message offers a retry and the page stays. React's `lazy`
 * would replace the whole page with the error.
 */
export function useLazyComponent<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const [Part, setPart] = useState<ComponentType<Props> | null>(null);
  const open = (): void =>
    void Promise.all([loadChunk(load), loadAllStyles()]).then(
      ([part]) => setPart(() => part.default),
      (error: unknown) => offerRetry(error, open),
    );
  return {
    Part,
    open,
    close: (): void => setPart(null),
  };
}

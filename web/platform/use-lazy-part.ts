import { type ComponentType, useState } from 'react';
import { offerReload } from '../ui/toasts.ts';

/**
 * A part that comes when it is asked for. When it does not come, that is said, and what is on the screen stays: `lazy`
 * would take the whole page down with it.
 */
export function useLazyPart<Props>(load: () => Promise<{ default: ComponentType<Props> }>) {
  const [Part, setPart] = useState<ComponentType<Props> | null>(null);
  return {
    Part,
    open: (): void => void load().then((part) => setPart(() => part.default), offerReload),
    close: (): void => setPart(null),
  };
}

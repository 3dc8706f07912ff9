import { useEffect, useEffectEvent, useState } from 'react';
import { messageOf } from '#web/domain/messages.ts';
import { problemOf } from '#web/platform/api.ts';

/**
 * Sends a request when the component is mounted and when `about` changes. The last data stay until the next arrive.
 * @returns the data, null at first, and why the last request failed, or an empty text
 */
export function useRequest<Data>(about: unknown, request: () => Promise<Data>): readonly [Data | null, string] {
  const [data, setData] = useState<Data | null>(null);
  const [failure, setFailure] = useState('');
  const send = useEffectEvent(request);
  useEffect(() => {
    let isCurrent = true;
    send().then(
      (found) => {
        if (!isCurrent) return;
        setData(found);
        setFailure('');
      },
      (error: unknown) => isCurrent && setFailure(messageOf(problemOf(error))),
    );
    return () => {
      isCurrent = false;
    };
  }, [about]);
  return [data, failure];
}

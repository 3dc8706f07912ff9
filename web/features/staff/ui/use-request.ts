import { useEffect, useEffectEvent, useState } from 'react';
import { messageOf } from '#web/domain/messages.ts';
import { problemOf } from '#web/platform/api.ts';

/**
 * Sends a request on mount and when `key` changes. Keeps the previous data until the next response.
 * @returns the data, null at first, and why the last request failed, or an empty text
 */
export function useRequest<Data>(key: unknown, request: () => Promise<Data>): readonly [Data | null, string] {
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
  }, [key]);
  return [data, failure];
}

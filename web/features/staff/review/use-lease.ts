import { useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ReviewLease } from '#contract/staff/review.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { itemOfKey } from './review-items.ts';
import type { Queue } from './use-queue.ts';

/**
 * Interval at which the lease of an open item is renewed, and thus the time until the page shows that another person
 * has taken it over.
 */
const renewalMs = 60_000;

/**
 * Leases an item while it is open and the page is visible, and ends the lease when the user leaves it undecided.
 * @param itemKey null until it is known whether the item is decided
 * @returns whether the user has had the lease: if another member of staff has it now, they have taken it over
 */
export function useLease(itemKey: string | null, { changeItem, reload }: Queue, isDecided: boolean): boolean {
  const [hadLease, setHadLease] = useState(false);
  const wasDecided = useRef(isDecided);
  useEffect(() => void (wasDecided.current = isDecided), [isDecided]);
  const setLease = useEffectEvent((key: string, lease: ReviewLease | null) =>
    changeItem(key, (item) => ({ ...item, lease })),
  );
  const readAgain = useEffectEvent(reload);
  useEffect(() => {
    const params = itemKey === null ? null : itemOfKey(itemKey);
    if (itemKey === null || !params) return undefined;
    const key = itemKey;
    let hasLeft = false;
    async function renew(item: NonNullable<typeof params>): Promise<void> {
      if (wasDecided.current || document.visibilityState === 'hidden') return;
      try {
        const lease = await callApi('PUT /api/staff/queue/{kind}/{id}/lease', { params: item, body: {} });
        if (hasLeft) return;
        setLease(key, lease);
        if (lease.isOwn) setHadLease(true);
      } catch (error) {
        const { code } = problemOf(error);
        // After other errors, such as a lost connection, the item can be decided without a lease.
        if (!hasLeft && (code === 'review/decided' || code === 'not-found')) await readAgain(key);
      }
    }
    const renewNow = () => void renew(params);
    renewNow();
    const timer = setInterval(renewNow, renewalMs);
    document.addEventListener('visibilitychange', renewNow);
    return () => {
      hasLeft = true;
      clearInterval(timer);
      document.removeEventListener('visibilitychange', renewNow);
      if (wasDecided.current) return;
      callApi('DELETE /api/staff/queue/{kind}/{id}/lease', { params }).catch(() => undefined);
      setLease(key, null);
    };
  }, [itemKey]);
  return hadLease;
}

export async function takeOver(itemKey: string, { changeItem }: Queue): Promise<void> {
  const params = itemOfKey(itemKey);
  if (!params) return;
  const lease = await callApi('PUT /api/staff/queue/{kind}/{id}/lease', { params, body: { takeOver: true } });
  changeItem(itemKey, (item) => ({ ...item, lease }));
}

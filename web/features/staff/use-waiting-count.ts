import { useEffect, useState } from 'react';
import type { OwnStaff } from '#contract/staff/scope.ts';
import { reviewRights } from '#contract/staff/values.ts';
import { useUser } from '#web/domain/root-data.ts';
import { callApi } from '#web/platform/api.ts';

const pollDelayMs = 60_000;

/** Each group of pages mounts the menu again, which shows this count until it has its own. */
let lastCount: { readonly uid: string | undefined; readonly count: string | null } | null = null;

/** Returns how many items wait for the user's decision, such as "12" or "200+". Null: none, or not known yet. */
export function useWaitingCount({ rights, obstacle }: OwnStaff): string | null {
  const uid = useUser()?.uid;
  const [known, setKnown] = useState(lastCount);
  const isReviewer = obstacle === null && reviewRights.some((right) => rights.includes(right));
  useEffect(() => {
    if (!isReviewer) return undefined;
    const poll = async () => {
      if (document.hidden) return;
      const found = await callApi('GET /api/staff/queue', { query: { limit: 1 } }).catch(() => null);
      if (!found) return;
      const sum = found.counts.reduce((all, { waiting }) => all + waiting, 0);
      const more = found.counts.some(({ hasMore }) => hasMore) ? '+' : '';
      lastCount = { uid, count: sum === 0 ? null : `${sum.toLocaleString('en')}${more}` };
      setKnown(lastCount);
    };
    void poll();
    const timer = setInterval(() => void poll(), pollDelayMs);
    return () => clearInterval(timer);
  }, [isReviewer, uid]);
  return isReviewer && known?.uid === uid ? (known?.count ?? null) : null;
}

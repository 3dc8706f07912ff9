import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { ReviewDecision, ReviewLease, ReviewItem } from '#contract/staff/review.ts';
import { undoSeconds } from '#contract/staff/values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { toastFailure } from '#web/domain/use-action.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { toast } from '#web/ui/toasts.ts';
import { staffPath } from '../staff-paths.ts';
import { ItemCache } from './item-cache.ts';
import { type ReviewData, itemOfKey, keyOf, nameOf } from './review-items.ts';

export interface WaitingDecision {
  readonly key: string;
  readonly name: string;
  readonly outcome: string;
  /** The id of the decision, when the server has stored it, or null. */
  readonly saved: Promise<string | null>;
  readonly isSaved: boolean;
  readonly undoUntil: number;
  readonly isOver: boolean;
}

/** Its texts fill the fields again. */
export interface FailedDecision {
  readonly name: string;
  readonly decision: ReviewDecision;
  readonly version: string;
  readonly message: string;
  readonly needsPassword: boolean;
  /** Whether the same decision may succeed if it is sent again, for example after a lost connection. */
  readonly canRetry: boolean;
}

/** Number of items after the open one below which the next page loads. */
const fewItems = 10;

export function useQueue(data: ReviewData, openKey: string | null) {
  const navigate = useNavigate();
  const { search } = useLocation();
  const [cache] = useState(() => new ItemCache(data.opened));
  const [lastData, setLastData] = useState(data);
  const [items, setItems] = useState(data.queue.items);
  const [cursor, setCursor] = useState(data.queue.next);
  const [decisions, setDecisions] = useState(() => ownDecisions(data.queue.items));
  const [failures, setFailures] = useState<Readonly<Record<string, FailedDecision>>>({});
  const loadingCursor = useRef<string | null>(null);
  const [isLoadingMore, setIsLoadingMore] = useState(false);
  if (data !== lastData) {
    setLastData(data);
    setItems(data.queue.items);
    setCursor(data.queue.next);
    setDecisions((all) => {
      const inTime = all.filter(({ isOver, isSaved }) => !isOver || !isSaved);
      const known = new Set(inTime.map(({ key }) => key));
      return [...ownDecisions(data.queue.items).filter(({ key }) => !known.has(key)), ...inTime];
    });
  }

  const decidedKeys = new Set([
    ...decisions.map(({ key }) => key),
    ...items.filter(({ decision, closed }) => decision !== null || closed !== null).map(keyOf),
  ]);
  const openIndex = items.findIndex((item) => keyOf(item) === openKey);
  const canOpenNext = (item: ReviewItem) => !decidedKeys.has(keyOf(item)) && (item.lease === null || item.lease.isOwn);
  const following = items.slice(openIndex + 1).filter(canOpenNext);
  const next = following[0] ?? items.slice(0, Math.max(openIndex, 0)).find(canOpenNext) ?? null;

  const open = (key: string | null): void =>
    void navigate(staffPath('review', key ?? undefined) + search, { replace: openKey !== null && key !== null });

  const { state, filter } = data;
  const loadMore = useCallback(async (): Promise<void> => {
    if (cursor === null || loadingCursor.current !== null) return;
    loadingCursor.current = cursor;
    setIsLoadingMore(true);
    try {
      const page = await callApi('GET /api/staff/queue', { query: { state, ...filter, after: cursor } });
      setCursor(page.next);
      setItems((all) => {
        const known = new Set(all.map(keyOf));
        return [...all, ...page.items.filter((item) => !known.has(keyOf(item)))];
      });
    } catch (error) {
      toastFailure(error);
    }
    loadingCursor.current = null;
    setIsLoadingMore(false);
  }, [cursor, state, filter]);

  const isRunningOut = openKey !== null && following.length < fewItems && cursor !== null;
  useEffect(() => {
    if (isRunningOut) void loadMore();
  }, [isRunningOut, openKey, loadMore]);

  const nextKey = next === null ? null : keyOf(next);
  useEffect(() => {
    if (openKey === null) return;
    cache.load(openKey);
    if (nextKey !== null) cache.load(nextKey);
  }, [cache, openKey, nextKey]);

  const firstToEnd = decisions.find(({ isOver }) => !isOver)?.undoUntil;
  useEffect(() => {
    if (firstToEnd === undefined) return undefined;
    const end = () =>
      setDecisions((all) => all.map((one) => (one.undoUntil > Date.now() ? one : { ...one, isOver: true })));
    const timer = setTimeout(end, firstToEnd - Date.now() + 50);
    return () => clearTimeout(timer);
  }, [firstToEnd]);

  /** Opens the next item without waiting for the response. */
  function decide(key: string, decision: ReviewDecision, version: string): void {
    const params = itemOfKey(key);
    if (!params || decidedKeys.has(key)) return;
    const item = cache.get(key)?.opened?.item ?? items.find((one) => keyOf(one) === key);
    const name = nameOf(item ?? { name: null });
    const saved = callApi('POST /api/staff/queue/{kind}/{id}/decision', { params, body: { decision, version } }).then(
      ({ id }) => {
        setDecisions((all) => all.map((one) => (one.key === key ? { ...one, isSaved: true } : one)));
        return id;
      },
      (error: unknown) => keepFailed(key, { name, decision, version }, error),
    );
    setFailures((all) => without(all, key));
    const made = { key, name, outcome: decision.outcome, saved, isSaved: false, isOver: false };
    setDecisions((all) => [...all, { ...made, undoUntil: Date.now() + undoSeconds * 1000 }]);
    if (key === openKey) open(nextKey);
  }

  /** @returns the id of the decision, if it had been stored, and only its response was lost */
  async function keepFailed(
    key: string,
    failed: Pick<FailedDecision, 'name' | 'decision' | 'version'>,
    error: unknown,
  ): Promise<string | null> {
    const problem = problemOf(error);
    setDecisions((all) => all.filter((one) => one.key !== key));
    const canRetry = problem.status >= 500 || problem.status === 429;
    if (!canRetry) {
      cache.reload(key);
      const item = await refresh(key);
      if (problem.code === 'review/decided' && item?.decision?.isOwn) return item.decision.id;
    }
    if (problem.code === 'not-found') {
      toast('error', `${failed.name}: the item is already decided or withdrawn`);
      return null;
    }
    const needsPassword = problem.code === 'auth/requires-recent-login';
    setFailures((all) => ({ ...all, [key]: { ...failed, message: messageOf(problem), needsPassword, canRetry } }));
    return null;
  }

  function retry(key: string): void {
    const failed = failures[key];
    if (failed) decide(key, failed.decision, failed.version);
  }

  async function undo({ key, saved }: WaitingDecision): Promise<void> {
    // A decision that was not saved is shown as such.
    const id = await saved;
    if (id === null) return;
    try {
      await callApi('DELETE /api/staff/decisions/{id}', { params: { id } });
    } catch (error) {
      toastFailure(error);
      return;
    }
    setDecisions((all) => all.filter((one) => one.key !== key));
    setItems((all) => all.map((item) => (keyOf(item) === key ? { ...item, decision: null } : item)));
    cache.update(key, (opened) => ({ ...opened, item: { ...opened.item, decision: null } }));
    open(key);
  }

  const setLease = useCallback(
    (key: string, lease: ReviewLease | null): void =>
      setItems((all) => all.map((item) => (keyOf(item) === key ? { ...item, lease } : item))),
    [],
  );

  /**
   * Another member of staff may have decided the item.
   * @returns null if it is no longer in the queue, or cannot be read
   */
  const refresh = useCallback(
    async (key: string): Promise<ReviewItem | null> => {
      const params = itemOfKey(key);
      if (!params) return null;
      try {
        const { item, notes } = await callApi('GET /api/staff/queue/{kind}/{id}', { params });
        cache.update(key, (opened) => ({ ...opened, item, notes }));
        setItems((all) => all.map((one) => (keyOf(one) === key ? item : one)));
        setDecisions((all) => [...all.filter((one) => one.key !== key), ...ownDecisions([item])]);
        return item;
      } catch (error) {
        if (problemOf(error).code !== 'not-found') return null;
        cache.fail(key, problemOf(error));
        setItems((all) => all.filter((one) => keyOf(one) !== key));
        return null;
      }
    },
    [cache],
  );

  const countNote = (key: string): void =>
    setItems((all) => all.map((item) => (keyOf(item) === key ? { ...item, noteCount: item.noteCount + 1 } : item)));

  return {
    state,
    isFiltered: Boolean(filter.name ?? filter.department ?? filter.hideAsked),
    items,
    hasMore: cursor !== null,
    isLoadingMore,
    counts: data.queue.counts.map(({ kind, waiting, hasMore }) => ({
      kind,
      hasMore,
      isListed: waiting > 0,
      // The server has counted without the decisions that it knew.
      waiting:
        state === 'decided'
          ? waiting
          : waiting -
            items.filter((item) => item.kind === kind && !item.decision && decidedKeys.has(keyOf(item))).length,
    })),
    cache,
    decisions,
    decidedKeys,
    failures,
    nextKey,
    open,
    loadMore,
    decide,
    retry,
    undo,
    setLease,
    refresh,
    countNote,
  };
}

export type Queue = ReturnType<typeof useQueue>;

const without = <Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== key));

/** Reads the decisions from the server's items, so that a reload keeps them. */
const ownDecisions = (items: readonly ReviewItem[]): WaitingDecision[] =>
  items.flatMap((item) => {
    const { decision } = item;
    if (!decision?.isOwn || decision.id === null) return [];
    const { id, outcome, undoUntil } = decision;
    const times = { undoUntil: Date.parse(undoUntil), isOver: false };
    return [{ key: keyOf(item), name: nameOf(item), outcome, saved: Promise.resolve(id), isSaved: true, ...times }];
  });

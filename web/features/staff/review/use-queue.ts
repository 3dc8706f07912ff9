import { useCallback, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { ReviewDecision, ReviewHold, ReviewItem } from '#contract/staff-review.ts';
import { undoSeconds } from '#contract/staff-values.ts';
import { messageOf } from '../../../domain/messages.ts';
import { callApi, problemOf } from '../../../platform/api.ts';
import { toast } from '../../../ui/toasts.ts';
import { staffPath } from '../staff-paths.ts';
import { ItemCache } from './item-cache.ts';
import { type ReviewData, itemOfKey, keyOf } from './review-items.ts';

/** A decision that can still be undone. */
export interface WaitingDecision {
  readonly key: string;
  readonly outcome: string;
  /** The id of the decision, when the server has stored it. */
  readonly saved: Promise<string>;
  /** Time in milliseconds. */
  readonly undoUntil: number;
  /** Whether it can no longer be undone. */
  readonly isOver: boolean;
}

/** A decision that could not be saved. Its texts fill the fields again. */
export interface FailedDecision {
  readonly decision: ReviewDecision;
  readonly version: string;
  readonly message: string;
  readonly needsPassword: boolean;
}

/** Number of items after the open one below which the next page loads. */
const fewItems = 10;

/** The state of the review queue: its items, the decisions of the last 30 seconds, and the item in the URL. */
export function useQueue(data: ReviewData, openKey: string | null) {
  const navigate = useNavigate();
  const { search } = useLocation();
  const [cache] = useState(() => new ItemCache(data.opened));
  const [lastData, setLastData] = useState(data);
  const [items, setItems] = useState(data.queue.items);
  const [cursor, setCursor] = useState(data.queue.next);
  const [decisions, setDecisions] = useState(() => ownDecisions(data.queue.items));
  const [failures, setFailures] = useState<Readonly<Record<string, FailedDecision>>>({});
  const isLoadingMore = useRef(false);
  if (data !== lastData) {
    setLastData(data);
    setItems(data.queue.items);
    setCursor(data.queue.next);
    setDecisions((all) => {
      const inTime = all.filter(({ isOver }) => !isOver);
      const known = new Set(inTime.map(({ key }) => key));
      return [...ownDecisions(data.queue.items).filter(({ key }) => !known.has(key)), ...inTime];
    });
  }

  const decidedKeys = new Set([
    ...decisions.map(({ key }) => key),
    ...items.filter(({ decision }) => decision !== null).map(keyOf),
  ]);
  const openIndex = items.findIndex((item) => keyOf(item) === openKey);
  const canOpenNext = (item: ReviewItem) => !decidedKeys.has(keyOf(item)) && (item.hold === null || item.hold.isOwn);
  const following = items.slice(openIndex + 1).filter(canOpenNext);
  /** The item that opens after a decision: the next one that waits, or the first one. */
  const next = following[0] ?? items.slice(0, Math.max(openIndex, 0)).find(canOpenNext) ?? null;

  const open = (key: string | null): void =>
    void navigate(staffPath('review', key ?? undefined) + search, { replace: openKey !== null && key !== null });

  const { kind } = data;
  const loadMore = useCallback(async (): Promise<void> => {
    if (cursor === null || isLoadingMore.current) return;
    isLoadingMore.current = true;
    try {
      const page = await callApi('GET /api/staff/queue', { query: { kind, after: cursor } });
      setCursor(page.next);
      setItems((all) => {
        const known = new Set(all.map(keyOf));
        return [...all, ...page.items.filter((item) => !known.has(keyOf(item)))];
      });
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    }
    isLoadingMore.current = false;
  }, [cursor, kind]);

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

  /** Stores a decision, and opens the next item without waiting for the answer. */
  function decide(key: string, decision: ReviewDecision, version: string): void {
    const item = itemOfKey(key);
    if (!item || decidedKeys.has(key)) return;
    const saved = callApi('POST /api/staff/queue/{kind}/{id}/decision', {
      params: item,
      body: { decision, version },
    }).then(({ id }) => id);
    saved.catch((error: unknown) => keepFailed(key, decision, version, error));
    setFailures((all) => without(all, key));
    setDecisions((all) => [
      ...all,
      { key, outcome: decision.outcome, saved, undoUntil: Date.now() + undoSeconds * 1000, isOver: false },
    ]);
    if (key === openKey) open(nextKey);
  }

  function keepFailed(key: string, decision: ReviewDecision, version: string, error: unknown): void {
    const problem = problemOf(error);
    setDecisions((all) => all.filter((one) => one.key !== key));
    // The item was already decided, so it leaves the list.
    if (problem.code === 'not-found') setItems((all) => all.filter((item) => keyOf(item) !== key));
    cache.forget(key);
    const needsPassword = problem.code === 'auth/requires-recent-login';
    setFailures((all) => ({ ...all, [key]: { decision, version, message: messageOf(problem), needsPassword } }));
  }

  /** Sends the decisions again that needed the password. */
  function retryFailed(): void {
    for (const [key, { decision, version, needsPassword }] of Object.entries(failures))
      if (needsPassword) decide(key, decision, version);
  }

  /** Undoes a decision, and opens its item. */
  async function undo({ key, saved }: WaitingDecision): Promise<void> {
    try {
      await callApi('DELETE /api/staff/decisions/{id}', { params: { id: await saved } });
    } catch (error) {
      // A decision that was not saved is shown as such.
      if (!(key in failures)) toast('error', messageOf(problemOf(error)));
      return;
    }
    setDecisions((all) => all.filter((one) => one.key !== key));
    setItems((all) => all.map((item) => (keyOf(item) === key ? { ...item, decision: null } : item)));
    open(key);
  }

  const setHold = useCallback(
    (key: string, hold: ReviewHold | null): void =>
      setItems((all) => all.map((item) => (keyOf(item) === key ? { ...item, hold } : item))),
    [],
  );

  const countNote = (key: string): void =>
    setItems((all) => all.map((item) => (keyOf(item) === key ? { ...item, noteCount: item.noteCount + 1 } : item)));

  return {
    items,
    hasMore: cursor !== null,
    counts: data.queue.counts.map(({ kind, waiting, hasMore }) => ({
      kind,
      hasMore,
      isListed: waiting > 0,
      // The server has counted without the decisions that it knew.
      waiting:
        waiting - items.filter((item) => item.kind === kind && !item.decision && decidedKeys.has(keyOf(item))).length,
    })),
    cache,
    decisions,
    decidedKeys,
    failures,
    nextKey,
    open,
    loadMore,
    decide,
    retryFailed,
    undo,
    setHold,
    countNote,
  };
}

export type Queue = ReturnType<typeof useQueue>;

const without = <Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== key));

/** Returns the decisions of the user that the server has stored, so that a reload keeps them. */
const ownDecisions = (items: readonly ReviewItem[]): WaitingDecision[] =>
  items.flatMap((item) => {
    const { decision } = item;
    if (!decision?.isOwn || decision.id === null) return [];
    const { id, outcome, undoUntil } = decision;
    return [{ key: keyOf(item), outcome, saved: Promise.resolve(id), undoUntil: Date.parse(undoUntil), isOver: false }];
  });

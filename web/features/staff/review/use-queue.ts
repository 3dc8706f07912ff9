import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import type { Problem } from '#contract/problem.ts';
import type { ReviewDecision, ReviewItem, ReviewNote } from '#contract/staff/review.ts';
import { undoSeconds } from '#contract/staff/values.ts';
import { messageOf } from '#web/domain/messages.ts';
import { toastFailure, useAction } from '#web/domain/use-action.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { toast } from '#web/ui/toasts.ts';
import { staffPath } from '../staff-paths.ts';
import { type OpenedItem, type ReviewData, itemOfKey, keyOf, loadItem, nameOf } from './review-items.ts';

/** An item that was opened or prefetched. What was loaded stays after a failure, so that nothing typed is lost. */
interface Loaded {
  readonly at: number;
  /** Undefined while it loads for the first time. */
  readonly opened?: OpenedItem | undefined;
  readonly problem?: Problem | undefined;
}

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

/** An item that was loaded longer ago is loaded again when it is opened. */
const maxAgeMs = 60_000;

export function useQueue(data: ReviewData, openKey: string | null) {
  const navigate = useNavigate();
  const { search } = useLocation();
  const [lastData, setLastData] = useState(data);
  const [items, setItems] = useState(data.queue.items);
  const [cursor, setCursor] = useState(data.queue.next);
  const [loaded, setLoaded] = useState<Readonly<Record<string, Loaded>>>(() =>
    data.opened ? { [keyOf(data.opened.item)]: { at: Date.now(), opened: data.opened } } : {},
  );
  const [texts] = useState(() => new Map<string, Map<string, string>>());
  const [decisions, setDecisions] = useState(() => addDecisions([], data.queue.items));
  const [failures, setFailures] = useState<Readonly<Record<string, FailedDecision>>>({});
  const { isBusy: isLoadingMore, run: runLoading } = useAction();
  if (data !== lastData) {
    setLastData(data);
    setItems(data.queue.items);
    setCursor(data.queue.next);
    setDecisions((all) =>
      addDecisions(
        all.filter(({ isOver, isSaved }) => !isOver || !isSaved),
        data.queue.items,
      ),
    );
  }

  const decidedKeys = new Set([
    ...decisions.map(({ key }) => key),
    ...items.filter(({ decision, closed }) => decision !== null || closed !== null).map(keyOf),
  ]);
  const openIndex = items.findIndex((item) => keyOf(item) === openKey);
  const canOpenNext = (item: ReviewItem) => !decidedKeys.has(keyOf(item)) && (item.lease === null || item.lease.isOwn);
  const following = items.slice(openIndex + 1).filter(canOpenNext);
  const next = following[0] ?? items.slice(0, Math.max(openIndex, 0)).find(canOpenNext);
  const nextKey = next ? keyOf(next) : null;

  const open = (key: string | null): void =>
    void navigate(staffPath('review', key ?? undefined) + search, { replace: openKey !== null && key !== null });

  const loadMore = async (): Promise<void> => {
    if (cursor === null || isLoadingMore) return;
    await runLoading(async () => {
      const { state, filter } = data;
      const page = await callApi('GET /api/staff/queue', { query: { state, ...filter, after: cursor } });
      setCursor(page.next);
      setItems((all) => {
        const known = new Set(all.map(keyOf));
        return [...all, ...page.items.filter((item) => !known.has(keyOf(item)))];
      });
    });
  };
  const isRunningOut = openKey !== null && following.length < fewItems;
  const prefetchPage = useEffectEvent(() => void (isRunningOut && loadMore()));
  useEffect(() => prefetchPage(), [isRunningOut, openKey, cursor]);

  const setOneLoaded = (key: string, change: (known: Omit<Loaded, 'at'>) => Omit<Loaded, 'at'>): void =>
    setLoaded((all) => ({ ...all, [key]: { ...change(all[key] ?? {}), at: Date.now() } }));

  async function load(key: string): Promise<Omit<Loaded, 'at'>> {
    const params = itemOfKey(key);
    if (!params) return {};
    setOneLoaded(key, ({ opened }) => ({ opened }));
    const result = await loadItem(callApi, params).then(
      (opened) => ({ opened }),
      (error: unknown) => ({ problem: problemOf(error) }),
    );
    setOneLoaded(key, ({ opened }) => ({ opened, ...result }));
    return result;
  }
  const loadIfStale = (key: string | null): void => {
    const known = key === null ? undefined : loaded[key];
    if (key !== null && (!known || known.problem || Date.now() - known.at >= maxAgeMs)) void load(key);
  };
  // The list alone prefetches nothing, so that an item opened from it is fresh.
  const prefetch = useEffectEvent(() => void (openKey !== null && [openKey, nextKey].forEach(loadIfStale)));
  useEffect(() => prefetch(), [openKey, nextKey]);

  function changeOpened(key: string, change: (opened: OpenedItem) => OpenedItem): void {
    setLoaded((all) => {
      const known = all[key];
      return known?.opened ? { ...all, [key]: { ...known, opened: change(known.opened) } } : all;
    });
  }

  function changeItem(key: string, change: (item: ReviewItem) => ReviewItem): void {
    setItems((all) => all.map((item) => (keyOf(item) === key ? change(item) : item)));
    changeOpened(key, (opened) => ({ ...opened, item: change(opened.item) }));
  }

  /**
   * Another member of staff may have decided the item.
   * @returns null if it is no longer in the queue, or cannot be read
   */
  async function reload(key: string): Promise<ReviewItem | null> {
    const { opened, problem } = await load(key);
    if (problem?.code === 'not-found') setItems((all) => all.filter((one) => keyOf(one) !== key));
    if (!opened) return null;
    const { item } = opened;
    changeItem(key, () => item);
    setDecisions((all) =>
      addDecisions(
        all.filter((one) => one.key !== key),
        [item],
      ),
    );
    return item;
  }

  /** What was typed about an item. */
  function textsOf(key: string): Map<string, string> {
    const known = texts.get(key) ?? new Map<string, string>();
    texts.set(key, known);
    return known;
  }

  function addNote(key: string, note: ReviewNote): void {
    changeOpened(key, (opened) => ({ ...opened, notes: [...opened.notes, note] }));
    changeItem(key, (item) => ({ ...item, noteCount: item.noteCount + 1 }));
  }

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
    const item = loaded[key]?.opened?.item ?? items.find((one) => keyOf(one) === key);
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
    const item = canRetry ? null : await reload(key);
    if (problem.code === 'review/decided' && item?.decision?.isOwn) return item.decision.id;
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
    changeItem(key, (item) => ({ ...item, decision: null }));
    open(key);
  }

  return {
    data,
    items,
    hasMore: cursor !== null,
    isLoadingMore,
    loadMore,
    loaded,
    reload,
    changeItem,
    addNote,
    textsOf,
    nextKey,
    open,
    decisions,
    decidedKeys,
    failures,
    decide,
    retry,
    undo,
  };
}

export type Queue = ReturnType<typeof useQueue>;

const without = <Value>(record: Readonly<Record<string, Value>>, key: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== key));

/** Adds the user's decisions that the server has, so that a reload of the page keeps them. @returns the latest last */
const addDecisions = (known: readonly WaitingDecision[], items: readonly ReviewItem[]): WaitingDecision[] => {
  const found = items.flatMap((item) => {
    const { decision } = item;
    const key = keyOf(item);
    if (!decision?.isOwn || decision.id === null || known.some((one) => one.key === key)) return [];
    const { id, outcome, undoUntil } = decision;
    const times = { undoUntil: Date.parse(undoUntil), isOver: false };
    return [{ key, name: nameOf(item), outcome, saved: Promise.resolve(id), isSaved: true, ...times }];
  });
  return [...known, ...found].toSorted((a, b) => a.undoUntil - b.undoUntil);
};

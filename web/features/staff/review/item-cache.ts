import { useSyncExternalStore } from 'react';
import type { Problem } from '#contract/problem.ts';
import { callApi, problemOf } from '#web/platform/api.ts';
import { type OpenedItem, itemOfKey, keyOf, loadItem } from './review-items.ts';

interface Entry {
  readonly loadedAt: number;
  /** Undefined while it loads for the first time. */
  readonly opened?: OpenedItem;
  readonly problem?: Problem;
}

/** An item that was prefetched longer ago is fetched again when it is opened. */
const maxAgeMs = 60_000;

/** The items that the page has loaded, so that the next one opens at once. */
export class ItemCache {
  readonly #entries = new Map<string, Entry>();
  readonly #texts = new Map<string, Map<string, string>>();
  readonly #listeners = new Set<() => void>();

  constructor(opened: OpenedItem | null) {
    if (opened) this.#entries.set(keyOf(opened.item), { opened, loadedAt: Date.now() });
  }

  readonly load = (key: string): void => {
    const known = this.#entries.get(key);
    if (!known || known.problem || Date.now() - known.loadedAt >= maxAgeMs) this.reload(key);
  };

  /** Until the response, and if the request fails, the known item stays. */
  readonly reload = (key: string): void => {
    const item = itemOfKey(key);
    if (!item) return;
    const { opened } = this.#entries.get(key) ?? {};
    this.#set(key, { ...(opened && { opened }), loadedAt: Date.now() });
    loadItem(callApi, item).then(
      (loaded) => this.#set(key, { opened: loaded, loadedAt: Date.now() }),
      (error: unknown) => this.fail(key, problemOf(error)),
    );
  };

  readonly update = (key: string, change: (opened: OpenedItem) => OpenedItem): void => {
    const entry = this.#entries.get(key);
    if (entry?.opened) this.#set(key, { ...entry, opened: change(entry.opened) });
  };

  /** What was loaded before stays, so that nothing typed is lost. */
  readonly fail = (key: string, problem: Problem): void =>
    this.#set(key, { ...this.#entries.get(key), problem, loadedAt: Date.now() });

  readonly textsOf = (key: string): Map<string, string> => {
    const texts = this.#texts.get(key) ?? new Map<string, string>();
    this.#texts.set(key, texts);
    return texts;
  };

  readonly get = (key: string): Entry | undefined => this.#entries.get(key);

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    for (const listener of this.#listeners) listener();
  }
}

export const useCachedItem = (cache: ItemCache, key: string): Entry | undefined =>
  useSyncExternalStore(
    cache.subscribe,
    () => cache.get(key),
    () => cache.get(key),
  );

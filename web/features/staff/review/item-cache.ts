import { useSyncExternalStore } from 'react';
import type { Problem } from '#contract/problem.ts';
import { callApi, problemOf } from '../../../platform/api.ts';
import { type OpenedItem, itemOfKey, keyOf, loadItem } from './review-items.ts';

interface Entry {
  readonly loadedAt: number;
  /** Undefined while it loads for the first time. */
  readonly opened?: OpenedItem;
  /** Why it could not be loaded. */
  readonly problem?: Problem;
}

/** Time after which an item that was fetched ahead is fetched again when it is opened. */
const maxAgeMs = 60_000;

/** The items that the page has loaded, so that the next one opens at once. */
export class ItemCache {
  readonly #entries = new Map<string, Entry>();
  readonly #listeners = new Set<() => void>();

  constructor(opened: OpenedItem | null) {
    if (opened) this.#entries.set(keyOf(opened.item), { opened, loadedAt: Date.now() });
  }

  /** Loads an item unless it was loaded a moment ago. */
  readonly load = (key: string): void => {
    const item = itemOfKey(key);
    const known = this.#entries.get(key);
    if (!item || (known && !known.problem && Date.now() - known.loadedAt < maxAgeMs)) return;
    const loadedAt = Date.now();
    this.#set(key, { ...(known?.opened && { opened: known.opened }), loadedAt });
    loadItem(callApi, item).then(
      (opened) => this.#set(key, { opened, loadedAt }),
      (error: unknown) => this.#set(key, { problem: problemOf(error), loadedAt }),
    );
  };

  readonly update = (key: string, opened: OpenedItem): void => this.#set(key, { opened, loadedAt: Date.now() });

  /** Removes an item that has changed. */
  readonly forget = (key: string): void => {
    this.#entries.delete(key);
    this.#announce();
  };

  readonly get = (key: string): Entry | undefined => this.#entries.get(key);

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #set(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#announce();
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Returns what is known of an item, and follows changes. */
export const useCachedItem = (cache: ItemCache, key: string): Entry | undefined =>
  useSyncExternalStore(
    cache.subscribe,
    () => cache.get(key),
    () => cache.get(key),
  );

import { useEffect, useEffectEvent, useState } from 'react';
import { useUser } from './root-data.ts';

/*
 * Keeps unsaved input in `sessionStorage`, so that a reload or the end of a session does not lose it. The key ends with
 * the account id, so that no one else sees it: `session.ts` deletes what belongs to another account on sign-in, and
 * everything on sign-out.
 */

const draftTtlMs = 12 * 60 * 60 * 1000;

interface Draft {
  readonly savedAt: number;
  /** The page on which it was typed. */
  readonly path: string;
  readonly values: unknown;
}

const storageKey = (name: string, uid: string) => `${name}:${uid}`;

function read(key: string): Draft | null {
  try {
    const draft = JSON.parse(sessionStorage.getItem(key) ?? 'null') as Draft | null;
    if (draft === null || Date.now() - draft.savedAt < draftTtlMs) return draft;
    sessionStorage.removeItem(key);
  } catch {
    // Without storage there is no draft.
  }
  return null;
}

export const readDraft = (name: string, uid: string): unknown => read(storageKey(name, uid))?.values ?? null;

export function writeDraft(name: string, uid: string, values: unknown): void {
  try {
    const draft: Draft = { savedAt: Date.now(), path: location.pathname, values };
    sessionStorage.setItem(storageKey(name, uid), JSON.stringify(draft));
  } catch {
    // No storage, or no room in it: only a reload loses what was typed.
  }
}

export function deleteDraft(name: string, uid: string): void {
  try {
    sessionStorage.removeItem(storageKey(name, uid));
  } catch {
    // Without storage there is no draft.
  }
}

/** Whether this account has a draft of the current page. Deletes drafts that are too old. */
export function hasDraftHere(uid: string): boolean {
  try {
    const drafts = Object.keys(sessionStorage)
      .filter((key) => key.includes(':'))
      .map((key) => ({ key, draft: read(key) }));
    return drafts.some(({ key, draft }) => key.endsWith(`:${uid}`) && draft?.path === location.pathname);
  } catch {
    return false;
  }
}

/**
 * A draft of the signed-in user.
 * @param restore is called once with the draft of an earlier visit, if there is one
 * @returns whether there was one, how to keep the current values, and how to delete the draft
 */
export function useDraft<Values>(name: string, restore: (values: Values) => void) {
  const uid = useUser()?.uid;
  const [isRestored, setRestored] = useState(false);
  const restoreNow = useEffectEvent(restore);
  useEffect(() => {
    const values = uid === undefined ? null : readDraft(name, uid);
    if (values === null) return;
    restoreNow(values as Values);
    setRestored(true);
  }, [name, uid]);
  return {
    isRestored,
    keep: (values: Values): void => {
      if (uid !== undefined) writeDraft(name, uid, values);
    },
    discard: (): void => {
      if (uid !== undefined) deleteDraft(name, uid);
      setRestored(false);
    },
  };
}

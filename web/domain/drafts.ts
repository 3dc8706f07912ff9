import { useEffect, useEffectEvent, useState } from 'react';
import { useUser } from './root-data.ts';

/*
 * Keeps unsaved input in `sessionStorage`, so that it survives a reload or the end of a session. Each key ends with the
 * account id. `session.ts` deletes the drafts of other accounts on sign-in, and all drafts on sign-out.
 */

const draftTtlMs = 12 * 60 * 60 * 1000;

interface Draft {
  readonly savedAt: number;
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
    // Drafts are optional: ignore that storage is unavailable.
  }
  return null;
}

export const readDraft = (name: string, uid: string): unknown => read(storageKey(name, uid))?.values ?? null;

export function writeDraft(name: string, uid: string, values: unknown): void {
  try {
    const draft: Draft = { savedAt: Date.now(), path: location.pathname, values };
    sessionStorage.setItem(storageKey(name, uid), JSON.stringify(draft));
  } catch {
    // Storage is full or not allowed. The input is then lost only on a reload.
  }
}

export function deleteDraft(name: string, uid: string): void {
  try {
    sessionStorage.removeItem(storageKey(name, uid));
  } catch {
    // Drafts are optional: ignore that storage is unavailable.
  }
}

/** Returns whether the account has a draft of the current page. Deletes expired drafts. */
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
 * Manages a draft of the signed-in user.
 * @param restore receives the stored values on mount, if a draft exists
 * @returns `isRestored`, `save` to store the current values, and `discard` to delete the draft
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
    save: (values: Values): void => {
      if (uid !== undefined) writeDraft(name, uid, values);
    },
    discard: (): void => {
      if (uid !== undefined) deleteDraft(name, uid);
      setRestored(false);
    },
  };
}

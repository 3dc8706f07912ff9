import { useEffect, useEffectEvent, useState } from 'react';
import { useUser } from './root-data.ts';
import { onboardingDraft } from './session.ts';

/*
 * Keeps unsaved input in `sessionStorage`, so that it survives a reload or the end of a session, and that of the
 * onboarding in `localStorage`, so that it survives a closed browser. Each key ends with the account id. `session.ts`
 * deletes the drafts of other accounts on sign-in, and all drafts on sign-out.
 */

const hourMs = 60 * 60 * 1000;

interface Draft {
  readonly savedAt: number;
  readonly path: string;
  readonly values: unknown;
}

const storageKey = (name: string, uid: string) => `${name}:${uid}`;

/** The privacy policy and the page of the onboarding state the seven days. */
const placeOf = (key: string) =>
  key.startsWith(`${onboardingDraft}:`)
    ? { storage: localStorage, ttlMs: 7 * 24 * hourMs }
    : { storage: sessionStorage, ttlMs: 12 * hourMs };

function read(key: string): Draft | null {
  try {
    const { storage, ttlMs } = placeOf(key);
    const draft = JSON.parse(storage.getItem(key) ?? 'null') as Draft | null;
    if (draft === null || Date.now() - draft.savedAt < ttlMs) return draft;
    storage.removeItem(key);
  } catch {
    // Drafts are optional: ignore that storage is unavailable.
  }
  return null;
}

export const readDraft = (name: string, uid: string): unknown => read(storageKey(name, uid))?.values ?? null;

export function writeDraft(name: string, uid: string, values: unknown): void {
  try {
    const draft: Draft = { savedAt: Date.now(), path: location.pathname, values };
    const key = storageKey(name, uid);
    placeOf(key).storage.setItem(key, JSON.stringify(draft));
  } catch {
    // Storage is full or not allowed. The input is then lost only on a reload.
  }
}

export function deleteDraft(name: string, uid: string): void {
  try {
    const key = storageKey(name, uid);
    placeOf(key).storage.removeItem(key);
  } catch {
    // Drafts are optional: ignore that storage is unavailable.
  }
}

/** Returns the drafts of all accounts. Deletes expired drafts, also those of an account that never signs in again. */
export function listDrafts(): { key: string; draft: Draft | null }[] {
  try {
    return [...Object.keys(sessionStorage), ...Object.keys(localStorage)]
      .filter((key) => key.includes(':'))
      .map((key) => ({ key, draft: read(key) }));
  } catch {
    return [];
  }
}

export const hasDraftHere = (uid: string): boolean =>
  listDrafts().some(({ key, draft }) => key.endsWith(`:${uid}`) && draft?.path === location.pathname);

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

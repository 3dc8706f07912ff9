import type { User } from '#contract/identity.ts';
import { callApi, sessionEndedEvent } from '#web/platform/api.ts';

/**
 * The cached user, synchronized between tabs. The server authenticates every request; the cache only saves a session
 * request on each navigation.
 */
let cachedUser: Promise<User | null> | undefined;

// The server must not open a channel: Node also has BroadcastChannel, and an open one prevents the process from
// exiting.
const channel = import.meta.env.SSR || typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

const fetchUser = (): Promise<User | null> =>
  callApi('GET /api/identity/session').then(({ user }) => {
    deleteOtherDrafts(user);
    return user;
  });

/** Returns null for a guest. @throws ApiError if the session request fails */
export function getCurrentUser(): Promise<User | null> {
  cachedUser ??= fetchUser().catch((error: unknown) => {
    // Failures are not cached: the next call tries again.
    cachedUser = undefined;
    throw error;
  });
  return cachedUser;
}

/** @returns whether the user has changed; false if the request fails, which leaves the cache unchanged */
export async function refreshUser(): Promise<boolean> {
  const before = cachedUser;
  const request = fetchUser();
  try {
    const [old, now] = await Promise.all([before, request]);
    if (cachedUser === before) cachedUser = request;
    return JSON.stringify(old) !== JSON.stringify(now);
  } catch {
    return false;
  }
}

const signedOutMessage = 'signed-out';

/** Notifies the other tabs as well. */
export function setUser(user: User | null): void {
  initializeUser(user);
  if (!user) deleteDrafts();
  channel?.postMessage(user ? 'changed' : signedOutMessage);
}

export function invalidateUser(): void {
  cachedUser = undefined;
  channel?.postMessage('changed');
}

export function initializeUser(user: User | null): void {
  cachedUser = Promise.resolve(user);
  deleteOtherDrafts(user);
}

/** Signs out in all tabs of this browser. @throws ApiError */
export async function signOut(): Promise<void> {
  await callApi('POST /api/identity/sign-out');
  setUser(null);
}

/**
 * Subscribes to sign-ins and sign-outs of other tabs, and to the end of the session.
 * @returns a function that unsubscribes
 */
export function onSessionChange(callback: () => void): () => void {
  const listener = (event: Event) => {
    event.preventDefault();
    if ((event as MessageEvent).data === signedOutMessage) deleteDrafts();
    cachedUser = undefined;
    callback();
  };
  channel?.addEventListener('message', listener);
  addEventListener(sessionEndedEvent, listener);
  return () => {
    channel?.removeEventListener('message', listener);
    removeEventListener(sessionEndedEvent, listener);
  };
}

/**
 * Deletes the drafts of other accounts on sign-in, because the computer may be shared, and that of an onboarding that
 * was finished elsewhere. An expired session keeps them.
 */
function deleteOtherDrafts(user: User | null): void {
  if (!user) return;
  const isOnboarded = user.displayName !== null;
  deleteDrafts((key) => key.endsWith(`:${user.uid}`) && !(isOnboarded && key.startsWith(`${onboardingDraft}:`)));
}

export const keptCodeKey = 'join-code';
export const onboardingDraft = 'onboarding';

/**
 * Deletes the drafts in this browser, whose keys end with `:{uid}`. Without an exception, also deletes the kept code.
 * @param isKept whether the draft with a key is not deleted
 */
function deleteDrafts(isKept?: (key: string) => boolean): void {
  try {
    if (!isKept) localStorage.removeItem(keptCodeKey);
    for (const storage of [sessionStorage, localStorage])
      for (const key of Object.keys(storage)) if (key.includes(':') && !isKept?.(key)) storage.removeItem(key);
  } catch {
    // If storage is not accessible, no drafts exist.
  }
}

import type { User } from '#contract/identity.ts';
import { callApi, sessionEndedEvent } from '../platform/api.ts';

/**
 * The browser's knowledge of who is signed in, shared by all its tabs. The server decides every call anew; this only
 * saves a phone from asking before each page.
 */
let cachedUser: Promise<User | null> | undefined;

// Node has such channels too, and an open one would keep it from ending.
const channel = import.meta.env.SSR || typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

const fetchUser = (): Promise<User | null> =>
  callApi('GET /api/identity/session').then(({ user }) => {
    deleteOtherDrafts(user);
    return user;
  });

/** The signed-in user, or null. @throws ApiError when it is not known and cannot be asked */
export function getCurrentUser(): Promise<User | null> {
  cachedUser ??= fetchUser().catch((error: unknown) => {
    // A failure is no answer: the next one who asks tries again.
    cachedUser = undefined;
    throw error;
  });
  return cachedUser;
}

/** Asks the server anew. @returns whether the answer is another one; without an answer, what was known stays */
export async function refreshUser(): Promise<boolean> {
  const before = cachedUser;
  const asked = fetchUser();
  try {
    const [old, now] = await Promise.all([before, asked]);
    if (cachedUser === before) cachedUser = asked;
    return JSON.stringify(old) !== JSON.stringify(now);
  } catch {
    return false;
  }
}

/** Sent to the other tabs after a sign-out or an account deletion. */
const signedOutMessage = 'signed-out';

/** Takes over what an answer has told, and tells the other tabs. */
export function setUser(user: User | null): void {
  initializeUser(user);
  if (!user) deleteDrafts();
  channel?.postMessage(user ? 'changed' : signedOutMessage);
}

/** Something about the user has changed, and only the server knows what: this tab and the others ask anew. */
export function invalidateUser(): void {
  cachedUser = undefined;
  channel?.postMessage('changed');
}

/** Takes over what the page came with. */
export function initializeUser(user: User | null): void {
  cachedUser = Promise.resolve(user);
  deleteOtherDrafts(user);
}

/** Ends the session of this browser, in all its tabs. @throws ApiError */
export async function signOut(): Promise<void> {
  await callApi('POST /api/identity/sign-out');
  setUser(null);
}

/** Calls back when another tab has signed in or out, or an answer said that the session has ended. @returns how to stop */
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

/** Deletes the drafts of other accounts on sign-in, because the computer may be shared. A session that ends by itself keeps them. */
function deleteOtherDrafts(user: User | null): void {
  if (user) deleteDrafts(user.uid);
}

/** Deletes the drafts in this tab, which are kept under `…:{uid}`, but for those of one account. */
function deleteDrafts(except?: string): void {
  try {
    for (const key of Object.keys(sessionStorage))
      if (key.includes(':') && !key.endsWith(`:${except}`)) sessionStorage.removeItem(key);
  } catch {
    // Storage is forbidden here; so there is nothing in it.
  }
}

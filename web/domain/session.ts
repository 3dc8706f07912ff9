import type { User } from '#contract/identity.ts';
import { callApi, sessionEnded } from '../platform/api.ts';

/**
 * The browser's knowledge of who is signed in, shared by all its tabs. The server decides every call anew; this only
 * saves a phone from asking before each page.
 */
let known: Promise<User | null> | undefined;

// Node has such channels too, and an open one would keep it from ending.
const channel = import.meta.env.SSR || typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

const ask = (): Promise<User | null> =>
  callApi('GET /api/identity/session').then(({ user }) => {
    forgetOthers(user);
    return user;
  });

/** The signed-in user, or null. @throws ApiError when it is not known and cannot be asked */
export function currentUser(): Promise<User | null> {
  known ??= ask().catch((error: unknown) => {
    // A failure is no answer: the next one who asks tries again.
    known = undefined;
    throw error;
  });
  return known;
}

/** Asks the server anew. @returns whether the answer is another one; without an answer, what was known stays */
export async function isAnotherNow(): Promise<boolean> {
  const before = known;
  const asked = ask();
  try {
    const [old, now] = await Promise.all([before, asked]);
    if (known === before) known = asked;
    return JSON.stringify(old) !== JSON.stringify(now);
  } catch {
    return false;
  }
}

/** Sent to the other tabs after a sign-out or an account deletion. */
const signedOut = 'signed-out';

/** Takes over what an answer has told, and tells the other tabs. */
export function setUser(user: User | null): void {
  startWith(user);
  if (!user) deleteDrafts();
  channel?.postMessage(user ? 'changed' : signedOut);
}

/** Something about the user has changed, and only the server knows what: this tab and the others ask anew. */
export function userHasChanged(): void {
  known = undefined;
  channel?.postMessage('changed');
}

/** Takes over what the page came with. */
export function startWith(user: User | null): void {
  known = Promise.resolve(user);
  forgetOthers(user);
}

/** Ends the session of this browser, in all its tabs. @throws ApiError */
export async function signOut(): Promise<void> {
  await callApi('POST /api/identity/sign-out');
  setUser(null);
}

/** Calls back when another tab has signed in or out, or an answer said that the session has ended. @returns how to stop */
export function onChangeElsewhere(callback: () => void): () => void {
  const listener = (event: Event) => {
    event.preventDefault();
    if ((event as MessageEvent).data === signedOut) deleteDrafts();
    known = undefined;
    callback();
  };
  channel?.addEventListener('message', listener);
  addEventListener(sessionEnded, listener);
  return () => {
    channel?.removeEventListener('message', listener);
    removeEventListener(sessionEnded, listener);
  };
}

/** Deletes the drafts of other accounts on sign-in, because the computer may be shared. A session that ends by itself keeps them. */
function forgetOthers(user: User | null): void {
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

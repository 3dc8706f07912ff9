import type { User } from '#contract/identity.ts';
import { callApi } from '../platform/api.ts';

/**
 * The browser's knowledge of who is signed in, shared by all its tabs. The server decides every call anew; this only
 * saves a phone from asking before each page.
 */
let known: Promise<User | null> | undefined;

// Node has such channels too, and an open one would keep it from ending.
const channel = import.meta.env.SSR || typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('session');

/** The signed-in user, or null. @throws ApiError when it is not known and cannot be asked */
export function currentUser(): Promise<User | null> {
  known ??= callApi('GET /api/identity/session').then(
    ({ user }) => user,
    (error: unknown) => {
      // A failure is no answer: the next one who asks tries again.
      known = undefined;
      throw error;
    },
  );
  return known;
}

/** Takes over what an answer has told, and tells the other tabs. */
export function setUser(user: User | null): void {
  known = Promise.resolve(user);
  channel?.postMessage('changed');
}

/** Something about the user has changed, and only the server knows what: this tab and the others ask anew. */
export function userHasChanged(): void {
  known = undefined;
  channel?.postMessage('changed');
}

/** Takes over what the page came with. */
export function startWith(user: User | null): void {
  known = Promise.resolve(user);
}

/** Forgets what is known: the next page asks. */
export function forgetUser(): void {
  known = undefined;
}

/** Calls back when another tab has signed in or out. @returns how to stop */
export function onChangeElsewhere(callback: () => void): () => void {
  const listener = () => {
    forgetUser();
    callback();
  };
  channel?.addEventListener('message', listener);
  return () => channel?.removeEventListener('message', listener);
}

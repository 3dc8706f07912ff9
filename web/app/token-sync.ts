import type { User } from '#contract/identity.ts';
import { tokenTtlSeconds } from '#contract/durations.ts';
import { awaitsConfirmation } from '#web/domain/root-data.ts';

/*
 * Sends the signed-in user's token to another site of the university (specification, section 7; D22 in
 * docs/conformance.md).
 */

/**
 * Local storage key of the last sync of this browser: the user's id and the time in milliseconds, separated by a space.
 */
const storageKey = 'token-sync';

const resyncIntervalMs = 60 * 60 * 1000;

let lastSync: Promise<unknown> = Promise.resolve();

/** Removes the token after a sign-out. Calls run one after another, so that the last one takes effect. */
export function syncToken(user: User | null, address: string): Promise<unknown> {
  // A token must never be sent over an unencrypted connection.
  if (isSecureContext) lastSync = lastSync.then(() => sync(user, address)).catch(() => undefined);
  return lastSync;
}

async function sync(user: User | null, address: string): Promise<void> {
  const [lastUid, lastSyncMs] = (localStorage.getItem(storageKey) ?? '').split(' ');
  if (!user?.emailVerified || awaitsConfirmation(user)) {
    if (!lastUid) return;
    await send(address, 'DELETE', {});
    localStorage.removeItem(storageKey);
    return;
  }
  if (lastUid === user.uid && Date.now() - Number(lastSyncMs) < resyncIntervalMs) return;
  // `performance.now()` is monotonic. The system clock of a phone can be wrong, and a laptop may be suspended.
  const requestStartMs = performance.now();
  const token = (await fetch('/api/identity/token', { method: 'POST' })).headers.get('x-auth-token');
  if (token === null || performance.now() - requestStartMs > tokenTtlSeconds * 1000) return;
  await send(address, 'POST', { authorization: `Bearer ${token}` });
  localStorage.setItem(storageKey, `${user.uid} ${Date.now()}`);
}

async function send(address: string, method: 'POST' | 'DELETE', headers: Record<string, string>): Promise<void> {
  // The request includes cookies, because the other site sets and deletes its session cookie.
  const { ok, status } = await fetch(address, { method, headers, credentials: 'include', keepalive: true });
  if (!ok) throw new Error(`The token sync address responded with status ${status}.`);
}

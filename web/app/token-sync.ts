import type { User } from '#contract/identity.ts';
import { tokenTtlSeconds } from '#contract/durations.ts';

/*
 * Makes known to another site of the university who is signed in here (specification, section 7; decision 22).
 */

/** Whom the other site knows from this browser, in all its tabs: an id, and when it was told. */
const storageKey = 'token-sync';

/** Milliseconds after which it is told again: its own session may have ended. */
const resyncIntervalMs = 60 * 60 * 1000;

let lastSync: Promise<unknown> = Promise.resolve();

/** Tells the other site, unless it knows already. One thing after another, so that the last word is the right one. */
export function syncToken(user: User | null, address: string): Promise<unknown> {
  // A token must not travel where others could read it.
  if (isSecureContext) lastSync = lastSync.then(() => sync(user, address)).catch(() => undefined);
  return lastSync;
}

async function sync(user: User | null, address: string): Promise<void> {
  const [known, at] = (localStorage.getItem(storageKey) ?? '').split(' ');
  if (!user?.emailVerified) {
    if (!known) return;
    await send(address, 'DELETE', {});
    localStorage.removeItem(storageKey);
    return;
  }
  if (known === user.uid && Date.now() - Number(at) < resyncIntervalMs) return;
  // By the clock of this page, which nobody sets: a phone's date can be wrong, and a laptop may sleep in between.
  const asked = performance.now();
  const token = (await fetch('/api/identity/token', { method: 'POST' })).headers.get('x-auth-token');
  if (token === null || performance.now() - asked > tokenTtlSeconds * 1000) return;
  await send(address, 'POST', { authorization: `Bearer ${token}` });
  localStorage.setItem(storageKey, `${user.uid} ${Date.now()}`);
}

async function send(address: string, method: 'POST' | 'DELETE', headers: Record<string, string>): Promise<void> {
  // With its cookies: it wants to set one, and to take it away.
  const { ok, status } = await fetch(address, { method, headers, credentials: 'include', keepalive: true });
  if (!ok) throw new Error(`The token sync address responded with status ${status}.`);
}

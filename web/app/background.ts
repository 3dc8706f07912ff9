import type { UnreadCount } from '#contract/notifications.ts';
import type { User } from '#contract/identity.ts';
import { hasDraftHere } from '../domain/drafts.ts';
import { loginPath } from '../domain/guards.ts';
import { tellUnread } from '../domain/news.ts';
import { isAnotherNow } from '../domain/session.ts';
import { preloadToasts } from '../ui/toasts.ts';

/*
 * What a page does beside what is on it. It comes when the page is idle, so that no first paint waits for it.
 */

preloadToasts();

let user: User | null | undefined;
let stream: EventSource | undefined;
/** What the stream has told last. */
let unread: number | undefined;

/** Loads the page's data anew. */
let onAnother: () => unknown = () => undefined;

interface Page {
  /** What to do when another user turns out to be signed in. */
  readonly revalidate: () => unknown;
  readonly navigate: (to: string) => unknown;
}

/**
 * Does it for this user from now on.
 * @param tokenSync the address of the other site that is told, if there is one
 */
export function workFor(
  next: User | null | undefined,
  { revalidate, navigate }: Page,
  tokenSync: string | undefined,
): void {
  onAnother = revalidate;
  if (next?.uid !== user?.uid) hangUp();
  // Guarded pages have led to /login already. On the others, a dialog with something typed has just been closed.
  if (user && next === null && hasDraftHere(user.uid)) void navigate(loginPath(location));
  user = next;
  // What was known of somebody before something was done may be older than what the stream says.
  if (user && unread !== undefined) tellUnread(user, unread);
  listen();
  // Nothing that fails there concerns whoever uses this site; the next change tries again.
  if (tokenSync !== undefined && next !== undefined)
    import('./token-sync.ts').then(({ syncToken }) => syncToken(next, tokenSync)).catch(() => undefined);
}

/**
 * Only the tab that is looked at listens: a browser has six connections to a server, and a phone in a pocket pays for
 * what it hears. Coming back, the first thing that the server says is the number as it is now.
 */
function listen(): void {
  if (!user || document.visibilityState !== 'visible') return hangUp();
  if (stream && stream.readyState !== EventSource.CLOSED) return undefined;
  stream = new EventSource('/api/notifications/stream');
  stream.onmessage = ({ data }: MessageEvent<string>) => {
    ({ unread } = JSON.parse(data) as UnreadCount);
    if (user) tellUnread(user, unread);
  };
  stream.onerror = () => {
    // By itself it comes back after a failure of the network, and not after an answer that refuses it.
    if (stream?.readyState === EventSource.CLOSED) void onRefusal();
  };
}

/** Milliseconds until the next try to listen, after a server that could not. */
const patience = 60_000;
let nextTry: ReturnType<typeof setTimeout> | undefined;

/** A session that was ended elsewhere shows nothing any more, least of all on a phone that somebody has taken. */
async function onRefusal(): Promise<void> {
  clearTimeout(nextTry);
  if (await isAnotherNow()) onAnother();
  else nextTry = setTimeout(listen, patience);
}

function hangUp(): void {
  stream?.close();
  stream = undefined;
  unread = undefined;
}

/** Milliseconds after which a tab that comes back to the front asks who is signed in. */
const freshness = 60_000;
let asked = Date.now();

function askAgain(): void {
  if (document.visibilityState !== 'visible' || Date.now() - asked < freshness) return;
  asked = Date.now();
  // Only a different answer is worth loading the page's data for.
  void isAnotherNow().then((isAnother) => isAnother && onAnother());
}

document.addEventListener('visibilitychange', () => {
  listen();
  askAgain();
});
// A page that the browser keeps for Back does not listen; when it is shown again, it does.
addEventListener('pagehide', hangUp);
addEventListener('pageshow', listen);

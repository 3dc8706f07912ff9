import type { UnreadCount } from '#contract/notifications.ts';
import type { User } from '#contract/identity.ts';
import { hasDraftHere } from '../domain/drafts.ts';
import { loginPath } from '../domain/guards.ts';
import { setUnreadCount } from '../domain/unread-count.ts';
import { refreshUser } from '../domain/session.ts';
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
let revalidatePage: () => unknown = () => undefined;

interface Page {
  /** What to do when another user turns out to be signed in. */
  readonly revalidate: () => unknown;
  readonly navigate: (to: string) => unknown;
}

/**
 * Does it for this user from now on.
 * @param tokenSync the address of the other site that is told, if there is one
 */
export function updateTasks(
  next: User | null | undefined,
  { revalidate, navigate }: Page,
  tokenSync: string | undefined,
): void {
  revalidatePage = revalidate;
  if (next?.uid !== user?.uid) closeStream();
  // Guarded pages have led to /login already. On the others, a dialog with something typed has just been closed.
  if (user && next === null && hasDraftHere(user.uid)) void navigate(loginPath(location));
  user = next;
  // What was known of somebody before something was done may be older than what the stream says.
  if (user && unread !== undefined) setUnreadCount(user, unread);
  openStream();
  // Nothing that fails there concerns whoever uses this site; the next change tries again.
  if (tokenSync !== undefined && next !== undefined)
    import('./token-sync.ts').then(({ syncToken }) => syncToken(next, tokenSync)).catch(() => undefined);
}

/**
 * Only the tab that is looked at listens: a browser has six connections to a server, and a phone in a pocket pays for
 * what it hears. Coming back, the first thing that the server says is the number as it is now.
 */
function openStream(): void {
  if (!user || document.visibilityState !== 'visible') return closeStream();
  if (stream && stream.readyState !== EventSource.CLOSED) return undefined;
  stream = new EventSource('/api/notifications/stream');
  stream.onmessage = ({ data }: MessageEvent<string>) => {
    ({ unread } = JSON.parse(data) as UnreadCount);
    if (user) setUnreadCount(user, unread);
  };
  stream.onerror = () => {
    // By itself it comes back after a failure of the network, and not after an answer that refuses it.
    if (stream?.readyState === EventSource.CLOSED) void handleStreamRejection();
  };
}

/** Milliseconds until the next try to listen, after a server that could not. */
const reconnectDelayMs = 60_000;
let reconnectTimer: ReturnType<typeof setTimeout> | undefined;

/** A session that was ended elsewhere shows nothing any more, least of all on a phone that somebody has taken. */
async function handleStreamRejection(): Promise<void> {
  clearTimeout(reconnectTimer);
  if (await refreshUser()) revalidatePage();
  else reconnectTimer = setTimeout(openStream, reconnectDelayMs);
}

function closeStream(): void {
  stream?.close();
  stream = undefined;
  unread = undefined;
}

/** Milliseconds after which a tab that comes back to the front asks who is signed in. */
const minSessionCheckIntervalMs = 60_000;
let lastSessionCheckMs = Date.now();

function checkSession(): void {
  if (document.visibilityState !== 'visible' || Date.now() - lastSessionCheckMs < minSessionCheckIntervalMs) return;
  lastSessionCheckMs = Date.now();
  // Only a different answer is worth loading the page's data for.
  void refreshUser().then((isAnother) => isAnother && revalidatePage());
}

document.addEventListener('visibilitychange', () => {
  openStream();
  checkSession();
});
// A page that the browser keeps for Back does not listen; when it is shown again, it does.
addEventListener('pagehide', closeStream);
addEventListener('pageshow', openStream);

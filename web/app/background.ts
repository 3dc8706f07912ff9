import type { UnreadCount } from '#contract/notifications.ts';
import type { User } from '#contract/identity.ts';
import { hasDraftHere, listDrafts } from '#web/domain/drafts.ts';
import { loginPath } from '#web/domain/guards.ts';
import { setUnreadCount } from '#web/domain/unread-count.ts';
import { refreshUser } from '#web/domain/session.ts';
import { loadAllStyles } from '#web/platform/styles.ts';
import { preloadToasts } from '#web/ui/toasts.ts';

/*
 * Background work of every page: the notification stream, session checks and token sync. The page loads this module
 * when the browser is idle, so that it does not delay the first paint.
 */

preloadToasts();
// Any other page needs them.
void loadAllStyles();
// Deletes those that have expired.
listDrafts();

let user: User | null | undefined;
let stream: EventSource | undefined;
let unread: number | undefined;

let revalidatePage: () => unknown = () => undefined;

interface Page {
  readonly revalidate: () => unknown;
  readonly navigate: (to: string) => unknown;
}

/**
 * Runs the background work for a user. The root component calls it again whenever the user changes.
 * @param tokenSync the URL of the university site that receives the user's token, if one is configured
 */
export function updateTasks(
  next: User | null | undefined,
  { revalidate, navigate }: Page,
  tokenSync: string | undefined,
): void {
  revalidatePage = revalidate;
  if (next?.uid !== user?.uid) closeStream();
  // Guarded pages have already redirected to /login. On a public page, the sign-out has just closed a dialog with a
  // draft.
  if (user && next === null && hasDraftHere(user.uid)) void navigate(loginPath(location));
  user = next;
  // The user data may be older than the last count from the stream.
  if (user && unread !== undefined) setUnreadCount(user, unread);
  openStream();
  // A failure on the other site does not affect this page. The next change of the user tries again.
  if (tokenSync !== undefined && next !== undefined)
    import('./token-sync.ts').then(({ syncToken }) => syncToken(next, tokenSync)).catch(() => undefined);
}

/**
 * Opens the notification stream if this tab is in the foreground. Background tabs keep no stream: a browser allows six
 * connections to a server, and a phone pays for the traffic. The server's first event is the current count.
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
    // `EventSource` reconnects after a network failure, but not after an HTTP error status.
    if (stream?.readyState === EventSource.CLOSED) void handleStreamRejection();
  };
}

const reconnectDelayMs = 60_000;
let reconnectTimer: ReturnType<typeof setTimeout> | undefined;

/**
 * Handles an HTTP error of the stream. If the session has ended in another tab or on the server, it reloads the page's
 * data, so that a stolen phone shows no private data. Otherwise it schedules another attempt.
 */
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

const minSessionCheckIntervalMs = 60_000;
let lastSessionCheckMs = Date.now();

function checkSession(): void {
  if (document.visibilityState !== 'visible' || Date.now() - lastSessionCheckMs < minSessionCheckIntervalMs) return;
  lastSessionCheckMs = Date.now();
  void refreshUser().then((hasChanged) => hasChanged && revalidatePage());
}

document.addEventListener('visibilitychange', () => {
  openStream();
  checkSession();
});
// A page in the back/forward cache keeps no stream.
addEventListener('pagehide', closeStream);
addEventListener('pageshow', openStream);

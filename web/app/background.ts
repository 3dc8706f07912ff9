import type { News } from '#contract/notifications.ts';
import type { User } from '#contract/identity.ts';
import { tellUnread } from '../domain/news.ts';
import { preloadToasts } from '../ui/toasts.ts';

/*
 * What a page does beside what is on it. It comes when the page is idle, so that no first paint waits for it.
 */

preloadToasts();

let user: User | null | undefined;
let stream: EventSource | undefined;

/** Does it for this user from now on. */
export function workFor(next: User | null | undefined): void {
  if (next?.uid !== user?.uid) hangUp();
  user = next;
  listen();
}

/**
 * Only the tab that is looked at listens: a browser has six connections to a server, and a phone in a pocket pays for
 * what it hears. Coming back, the first thing that the server says is the number as it is now.
 */
function listen(): void {
  if (!user || document.visibilityState !== 'visible') return hangUp();
  // A session that has ended closes the stream for good.
  if (stream && stream.readyState !== EventSource.CLOSED) return undefined;
  stream = new EventSource('/api/notifications/stream');
  stream.onmessage = ({ data }: MessageEvent<string>) => {
    const { unread } = JSON.parse(data) as News;
    if (user) tellUnread(user, unread);
  };
}

function hangUp(): void {
  stream?.close();
  stream = undefined;
}

document.addEventListener('visibilitychange', listen);
// A page that the browser keeps for Back does not listen; when it is shown again, it does.
addEventListener('pagehide', hangUp);
addEventListener('pageshow', listen);

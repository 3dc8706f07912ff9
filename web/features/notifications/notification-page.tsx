import { useEffect, useRef, useState } from 'react';
import { useLoaderData, useRevalidator } from 'react-router';
import type { Notification, NotificationPage as Page } from '#contract/notifications.ts';
import { messageOf } from '../../domain/messages.ts';
import { setUnreadCount, useUnreadCount } from '../../domain/unread-count.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { useUser } from '../../domain/root-data.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Link } from '../../platform/link.tsx';
import { useFocusLater } from '../../platform/use-focus-later.ts';
import { distinctById, usePages } from '../../platform/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Day } from '../../ui/day.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { FetchFailure } from '../../ui/fetch-failure.tsx';
import { toast } from '../../ui/toasts.ts';
import type { NotificationData } from './notification-data.ts';
import { describeNotification } from './notification-text.ts';

/** Shows the notifications of the signed-in user, unread ones first (D9 in docs/conformance.md). */
export function NotificationPage() {
  const loaded = useLoaderData<NotificationData>();
  const { revalidate, state } = useRevalidator();
  const user = useUser();
  const unread = useUnreadCount(user);
  const previousUnread = useRef(unread);
  useEffect(() => {
    // A notification arrived while the page was open. Notifications read on this page keep their position.
    if (unread > previousUnread.current) void revalidate();
    previousUnread.current = unread;
  }, [unread, revalidate]);

  return (
    <div className="page max-w-3xl">
      {loaded.failed ? (
        <>
          <Heading />
          <FetchFailure busy={state === 'loading'} onRetry={() => void revalidate()} />
        </>
      ) : (
        <List key={user?.uid} first={loaded.first} unread={unread} />
      )}
    </div>
  );
}

const Heading = () => <h1 className="text-xl font-bold lg:text-2xl">Notifications</h1>;

function List({ first, unread }: { first: Page; unread: number }) {
  const user = useUser();
  const [pages, addPage] = usePages(first);
  const [readIds, setReadIds] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState<'reading' | 'loading' | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const focusLater = useFocusLater();

  // A notification that was read since the first page was loaded can appear again on a later page.
  const items = distinctById(pages.flatMap(({ notifications }) => notifications));
  const next = pages.at(-1)?.next ?? null;

  async function markRead(one?: Notification) {
    setBusy('reading');
    try {
      await callApi('POST /api/notifications/read', { body: one ? { ids: [one.id] } : {} });
      setReadIds((now) => new Set([...now, ...(one ? [one] : items).map(({ id }) => id)]));
      if (user) setUnreadCount(user, one ? Math.max(0, unread - 1) : 0);
      focusLater(one ? `#n-${one.id} a` : 'main li a');
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    } finally {
      setBusy(null);
    }
  }

  async function showMore(after: string) {
    setBusy('loading');
    setHasFailed(false);
    try {
      const page = await callApi('GET /api/notifications', { query: { after } });
      const shown = new Set(items.map(({ id }) => id));
      const firstNew = page.notifications.find(({ id }) => !shown.has(id));
      if (firstNew) focusLater(`#n-${firstNew.id} a`);
      addPage(page);
    } catch {
      setHasFailed(true);
    } finally {
      setBusy(null);
    }
  }

  return (
    <>
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <Heading />
        {unread > 0 && (
          <Button look="quiet" busy={busy === 'reading' && 'Saving...'} onClick={() => void markRead()}>
            Mark all as read
          </Button>
        )}
      </div>
      {items.length === 0 && (
        <p className="py-10 text-center text-ink-soft">
          No notifications yet. Updates about your account and your department will appear here.
        </p>
      )}
      <ul className="grid gap-2">
        {items.map((one) => (
          <Item
            key={one.id}
            notification={{ ...one, read: one.read || readIds.has(one.id) }}
            onRead={() => void markRead(one)}
          />
        ))}
      </ul>
      <div className="grid justify-items-center gap-3 py-6">
        {hasFailed && next !== null && <FetchFailure onRetry={() => void showMore(next)} />}
        {!hasFailed && next !== null && (
          <MoreButton busy={busy === 'loading'} onMore={() => void showMore(next)}>
            Show older notifications
          </MoreButton>
        )}
        <Link
          className="link inline-flex min-h-11 items-center"
          to={withParam(paths.settings, 'section', 'notifications')}
        >
          Notification settings
        </Link>
      </div>
    </>
  );
}

function Item({ notification, onRead }: { notification: Notification; onRead: () => void }) {
  const { id, createdAt, read } = notification;
  const { text, to, action } = describeNotification(notification);
  return (
    <li
      id={`n-${id}`}
      className={`rounded-card border p-4 ${read ? 'border-line bg-raised' : 'border-brand-line bg-wash'}`}
    >
      <p className={`wrap-anywhere ${read ? '' : 'font-semibold'}`}>
        {!read && <span className="sr-only">New: </span>}
        {text}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-4 text-sm text-ink-soft">
        <span className="basis-full sm:basis-auto">
          <Day of={createdAt} />
        </span>
        <Link className="link inline-flex min-h-11 items-center" to={to}>
          {action}
        </Link>
        {!read && (
          <button type="button" className="link min-h-11" onClick={onRead}>
            Mark as read
          </button>
        )}
      </p>
    </li>
  );
}

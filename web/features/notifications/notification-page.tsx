import { useEffect, useRef, useState } from 'react';
import { Link, useLoaderData, useRevalidator } from 'react-router';
import type { Face } from '#contract/directory.ts';
import type { Notification, NotificationPage as Page } from '#contract/notifications.ts';
import { setUnreadCount, useUnreadCount } from '#web/domain/unread-count.ts';
import { paths, withParam } from '#web/domain/paths.ts';
import { PersonAvatar } from '#web/domain/person-avatar.tsx';
import { useUser } from '#web/domain/root-data.ts';
import { toastFailure } from '#web/domain/use-action.ts';
import { callApi } from '#web/platform/api.ts';
import { useFocusLater } from '#web/platform/use-focus-later.ts';
import { useHydrated } from '#web/platform/use-hydrated.ts';
import { distinctById, usePages } from '#web/platform/use-pages.ts';
import { reword } from '#web/platform/words.ts';
import { Button } from '#web/ui/button.tsx';
import { AsideSection, ColumnPage } from '#web/ui/column-page.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { MoreButton } from '#web/ui/more-button.tsx';
import { FetchFailure } from '#web/ui/fetch-failure.tsx';
import type { NotificationData } from './notification-data.ts';
import { describeNotification } from './notification-text.ts';
import { timeAgo } from './time-ago.ts';

/** Unread notifications come first (D9 in docs/conformance.md). */
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

  if (!loaded.failed) return <List key={user?.uid} first={loaded.first} now={loaded.now} unread={unread} />;
  return (
    <ColumnPage title={title} aside={<Links />}>
      <FetchFailure busy={state === 'loading'} onRetry={() => void revalidate()} />
    </ColumnPage>
  );
}

const title = 'Notifications';

const Links = () => (
  <>
    <AsideSection title="What appears here">
      <p className="text-sm text-ink-soft">
        {reword('Who joined your department, new photos, and changes to your account.')}
      </p>
      <Link className="link flex min-h-11 items-center" to={withParam(paths.settings, 'section', 'notifications')}>
        Notification settings
      </Link>
    </AsideSection>
    <AsideSection title="Messages">
      <p className="text-sm text-ink-soft">Messages come by email. The list says who wrote to whom.</p>
      <Link className="link flex min-h-11 items-center" to={paths.messages}>
        Messages you sent and received
      </Link>
    </AsideSection>
  </>
);

function List({ first, now, unread }: { first: Page; now: number; unread: number }) {
  const user = useUser();
  const [pages, addPage] = usePages(first);
  const [readIds, setReadIds] = useState<ReadonlySet<string>>(new Set());
  const [busy, setBusy] = useState<'reading' | 'loading' | null>(null);
  const [hasFailed, setHasFailed] = useState(false);
  const focusLater = useFocusLater();

  // A notification that was read since the first page was loaded can appear again on a later page.
  const items = distinctById(pages.flatMap(({ notifications }) => notifications));
  const next = pages.at(-1)?.next ?? null;
  const isToday = useIsToday(now);
  const groups = [
    { heading: 'Today', notifications: items.filter(isToday) },
    { heading: 'Earlier', notifications: items.filter((one) => !isToday(one)) },
  ].filter(({ notifications }) => notifications.length > 0);

  async function markRead(one?: Notification) {
    setBusy('reading');
    try {
      await callApi('POST /api/notifications/read', { body: one ? { ids: [one.id] } : {} });
      setReadIds((known) => new Set([...known, ...(one ? [one] : items).map(({ id }) => id)]));
      if (user) setUnreadCount(user, one ? Math.max(0, unread - 1) : 0);
      focusLater(one ? `#n-${one.id} a` : 'main li a');
    } catch (error) {
      toastFailure(error);
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
    <ColumnPage
      title={title}
      action={
        unread > 0 && (
          <Button variant="quiet" busy={busy === 'reading' && 'Saving...'} onClick={() => void markRead()}>
            Mark all as read
          </Button>
        )
      }
      aside={<Links />}
    >
      {items.length === 0 && <EmptyState drawing="hall" title="No notifications yet" />}
      {groups.map(({ heading, notifications }) => (
        <section key={heading}>
          <h2 className="border-b border-line pb-1 text-sm font-semibold text-ink-soft">{heading}</h2>
          <ul>
            {notifications.map((one) => (
              <Item
                key={one.id}
                notification={{ ...one, read: one.read || readIds.has(one.id) }}
                now={now}
                onRead={() => void markRead(one)}
              />
            ))}
          </ul>
        </section>
      ))}
      {hasFailed && next !== null && <FetchFailure onRetry={() => void showMore(next)} />}
      {!hasFailed && next !== null && (
        <MoreButton busy={busy === 'loading'} onMore={() => void showMore(next)}>
          Show older notifications
        </MoreButton>
      )}
    </ColumnPage>
  );
}

/** The server does not know the time zone of the reader, so the first render uses UTC. */
function useIsToday(now: number): (notification: Notification) => boolean {
  const isHydrated = useHydrated();
  const dayOf = (date: Date) => (isHydrated ? date.toDateString() : date.toISOString().slice(0, 10));
  return ({ createdAt }) => dayOf(new Date(createdAt)) === dayOf(new Date(now));
}

const maxNames = 2;

/** Returns a text such as "Ada Eze, Ben Bello and 3 more". Photos do not say how many people added them. */
function formatNames({ faces, count, kind }: Notification): string {
  const names = faces.slice(0, maxNames).map(({ name }) => name);
  const more = kind === 'joined' ? count - names.length : 0;
  return listFormat.format(more > 0 ? [...names, `${more} more`] : names);
}

const listFormat = new Intl.ListFormat('en-GB');

function FaceStack({ faces: [first, second] }: { faces: readonly Face[] }) {
  if (!first) return null;
  if (!second) return <PersonAvatar name={first.name} src={smallThumb(first)} className="size-10 text-sm" />;
  return (
    <span className="block size-10">
      <PersonAvatar name={first.name} src={smallThumb(first)} className="size-6 text-[0.625rem]" />
      <PersonAvatar
        name={second.name}
        src={smallThumb(second)}
        className="absolute right-0 bottom-0 size-6 text-[0.625rem] outline-2 outline-surface"
      />
    </span>
  );
}

const smallThumb = ({ thumb }: Face): string | null => thumb?.replace('/192.', '/96.') ?? null;

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' });

/** The link covers the row, and opening it marks the notification as read. */
function Item({ notification, now, onRead }: { notification: Notification; now: number; onRead: () => void }) {
  const { id, createdAt, read, faces } = notification;
  const { text, to, action, icon, isSecurity = false, isAboutReader = false } = describeNotification(notification);
  const user = useUser();
  const shown =
    isAboutReader && user?.displayName ? [{ id: user.uid, name: user.displayName, thumb: user.imgURL }] : faces;
  const isHydrated = useHydrated();
  return (
    <li id={`n-${id}`} className="group relative flex items-start gap-3 border-b border-line py-3 hover:bg-wash">
      <span className="relative size-10 shrink-0">
        {shown.length > 0 ? (
          <FaceStack faces={shown} />
        ) : (
          <span className="grid size-10 place-items-center rounded-full bg-wash text-brand group-hover:bg-raised">
            <Icon name={icon} />
          </span>
        )}
        {!read && <span className="absolute top-1/2 -left-3 size-2 -translate-y-1/2 rounded-full bg-brand-bright" />}
      </span>
      <div className="min-w-0 grow">
        <p className={`wrap-anywhere ${read ? '' : 'font-semibold'}`}>
          {!read && <span className="sr-only">New: </span>}
          {text}
        </p>
        {faces.length > 0 && <p className="text-sm wrap-anywhere text-ink-soft">{formatNames(notification)}</p>}
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-soft">
          <span>
            {isSecurity && 'Security · '}
            <time dateTime={createdAt}>{timeAgo(createdAt, now)}</time>
          </span>
          <Link
            className="font-semibold text-brand group-hover:underline after:absolute after:inset-0"
            to={to}
            title={isHydrated ? dateFormat.format(new Date(createdAt)) : undefined}
            onClick={read ? undefined : onRead}
          >
            {action}
          </Link>
        </p>
      </div>
      {!read && (
        <button
          type="button"
          className="relative z-10 -mr-3 flex min-h-11 min-w-11 shrink-0 items-center justify-center gap-2 rounded-control text-sm font-semibold text-ink-soft hover:bg-raised hover:text-brand lg:px-3"
          onClick={onRead}
        >
          <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-lg:sr-only">
            Mark as read
          </span>
          <Icon name="check" />
        </button>
      )}
    </li>
  );
}

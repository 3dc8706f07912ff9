import { useState } from 'react';
import { useLoaderData, useRevalidator } from 'react-router';
import type { Notification, NotificationKind } from '#contract/notifications.ts';
import { nameOfDevice } from '../../domain/device-name.ts';
import { messageOf } from '../../domain/messages.ts';
import { paths, withParam } from '../../domain/paths.ts';
import { userHasChanged } from '../../domain/session.ts';
import { callApi, problemOf } from '../../platform/api.ts';
import { Link } from '../../platform/link.tsx';
import { Button } from '../../ui/button.tsx';
import { FetchFailure } from '../../ui/fetch-failure.tsx';
import { toast } from '../../ui/toasts.ts';
import type { NotificationData } from './notification-data.ts';

const security = withParam(paths.settings, 'section', 'security');

/** What each kind says, and where it leads. */
const words: Record<NotificationKind, { text: (detail: string) => string; to: string; action: string }> = {
  welcome: {
    text: () => 'Welcome to the archive. Your profile is there; look at it as others see it.',
    to: withParam(paths.myProfile, 'as', 'everyone'),
    action: 'See what guests see',
  },
  'new-device': {
    text: (detail) =>
      `Your account was used to sign in on a device that we had not seen before: ${nameOfDevice(detail)}.`,
    to: security,
    action: 'See where you are signed in',
  },
  'password-changed': { text: () => 'Your password was changed.', to: security, action: 'It was not me' },
  'email-changed': { text: (detail) => `Your email address is now ${detail}.`, to: security, action: 'It was not me' },
};

/** Unread first (decision 9). */
export function NotificationPage() {
  const loaded = useLoaderData<NotificationData>();
  const { revalidate, state } = useRevalidator();
  const [busy, setBusy] = useState(false);
  const unread = loaded.failed ? 0 : loaded.notifications.filter(({ read }) => !read).length;

  async function markRead(ids?: string[]) {
    setBusy(true);
    try {
      await callApi('POST /api/notifications/read', { body: ids ? { ids } : {} });
      userHasChanged();
      await revalidate();
    } catch (error) {
      toast('error', messageOf(problemOf(error)));
    } finally {
      setBusy(false);
    }
  }

  return (
    <div className="mx-auto max-w-3xl px-4 py-6 lg:px-8">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <h1 className="text-xl font-bold lg:text-2xl">Notifications</h1>
        {unread > 0 && (
          <Button look="quiet" busy={busy && 'Saving...'} onClick={() => void markRead()}>
            Mark all as read
          </Button>
        )}
      </div>
      {loaded.failed && <FetchFailure busy={state === 'loading'} onRetry={() => void revalidate()} />}
      {!loaded.failed && loaded.notifications.length === 0 && (
        <p className="py-10 text-center text-ink-soft">
          Nothing yet. What concerns your account and your profile will stand here.
        </p>
      )}
      {!loaded.failed && loaded.notifications.length > 0 && (
        <ul className="grid gap-2">
          {loaded.notifications.map((notification) => (
            <Item key={notification.id} notification={notification} onRead={() => void markRead([notification.id])} />
          ))}
        </ul>
      )}
    </div>
  );
}

function Item({
  notification: { kind, detail, createdAt, read },
  onRead,
}: {
  notification: Notification;
  onRead: () => void;
}) {
  const { text, to, action } = words[kind];
  return (
    <li className={`rounded-card border p-4 ${read ? 'border-line bg-raised' : 'border-brand-line bg-brand-soft'}`}>
      <p className={read ? '' : 'font-semibold'}>
        {!read && <span className="sr-only">New: </span>}
        {text(detail)}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-4 text-sm text-ink-soft">
        <time dateTime={createdAt}>{createdAt.slice(0, 10)}</time>
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

import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { LeaveGuard } from '#web/domain/leave-guard.tsx';
import { PasswordDialog } from '#web/domain/password-dialog.tsx';
import { callApi } from '#web/platform/api.ts';
import { usePolling } from '../ui/use-polling.ts';
import type { StaffPageProps } from '../define-page.ts';
import { staffPath } from '../staff-paths.ts';
import { ItemDetail } from './item-detail.tsx';
import { LastDecisions } from './last-decisions.tsx';
import { QueueEnd } from './queue-end.tsx';
import { QueueList } from './queue-list.tsx';
import { type ReviewData, itemOfKey, keyOf } from './review-items.ts';
import { ShortcutDialog } from './shortcut-dialog.tsx';
import { useQueue } from './use-queue.ts';
import { useShortcuts } from './use-shortcuts.ts';

const pollDelayMs = 30_000;

/** Decisions that were not saved stay while the user is on the queue or one of its items. */
const isReviewPath = (path: string): boolean => `${path}/`.startsWith(`${staffPath('review')}/`);

export function ReviewPage({ data, id: openKey }: StaffPageProps<ReviewData>) {
  const queue = useQueue(data, openKey);
  const root = useRef<HTMLDivElement>(null);
  const shortcuts = useShortcuts(root, () => queue.open(null));
  const [isPasswordAsked, setIsPasswordAsked] = useState(false);
  const needsPassword = Object.values(queue.failures).some((failure) => failure.needsPassword);
  useEffect(() => setIsPasswordAsked(needsPassword), [needsPassword]);
  const { revalidate } = useRevalidator();
  const hasMorePages = queue.items.length > data.queue.items.length;
  // Only while no item is open, so that nothing moves beside it, and not if the list would become shorter.
  const isRefreshed = openKey === null && !hasMorePages && data.state === 'open';
  usePolling(
    data.queue,
    () => callApi('GET /api/staff/queue', { query: { state: data.state, ...data.filter } }),
    isRefreshed ? pollDelayMs : null,
  );
  useEffect(() => {
    if (!isRefreshed) return undefined;
    const refresh = () => document.visibilityState === 'visible' && void revalidate();
    document.addEventListener('visibilitychange', refresh);
    return () => document.removeEventListener('visibilitychange', refresh);
  }, [isRefreshed, revalidate]);
  // Shortcuts work while the queue has the focus. It gets the focus back when the focused element has disappeared,
  // before the next key.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) root.current?.focus({ preventScroll: true });
  });
  const item = queue.items.find((one) => keyOf(one) === openKey) ?? null;
  const isOpen = openKey !== null && itemOfKey(openKey) !== null;
  const lastDecisions = <LastDecisions queue={queue} openKey={openKey} />;
  return (
    // The handler only presses buttons and moves between links, which are all there for the pointer too.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={root}
      tabIndex={-1}
      data-no-shortcuts={shortcuts.areOn ? undefined : ''}
      className="relative outline-none lg:grid lg:h-dvh lg:grid-cols-[20rem_minmax(0,1fr)] xl:grid-cols-[22rem_minmax(0,1fr)]"
      onKeyDown={shortcuts.onKeyDown}
    >
      <QueueList
        queue={queue}
        openKey={openKey}
        onShowShortcuts={shortcuts.show}
        className={isOpen ? 'max-lg:hidden' : ''}
      />
      <div className={`relative min-w-0 lg:h-dvh lg:overflow-y-auto ${isOpen ? '' : 'max-lg:hidden'}`}>
        {isOpen ? (
          <ItemDetail key={openKey} itemKey={openKey} item={item} queue={queue} lastDecisions={lastDecisions} />
        ) : (
          <QueueEnd queue={queue} />
        )}
      </div>
      {/* On phones, an open item has it above the buttons that decide. */}
      <div
        className={`z-10 max-lg:fixed max-lg:inset-x-3 max-lg:bottom-3 lg:absolute lg:bottom-3 lg:left-3 lg:w-[18.5rem] xl:w-[20.5rem] ${isOpen ? 'max-lg:hidden' : ''}`}
      >
        {lastDecisions}
      </div>
      <LeaveGuard
        isEdited={Object.keys(queue.failures).length > 0}
        isSamePage={isReviewPath}
        onLeave={() => undefined}
      />
      {shortcuts.isShown && <ShortcutDialog shortcuts={shortcuts} />}
      {isPasswordAsked && (
        <PasswordDialog
          onClose={() => setIsPasswordAsked(false)}
          onTyped={async () => {
            setIsPasswordAsked(false);
            for (const [key, failure] of Object.entries(queue.failures)) if (failure.needsPassword) queue.retry(key);
          }}
        />
      )}
    </div>
  );
}

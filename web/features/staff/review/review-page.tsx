import { useEffect, useRef, useState } from 'react';
import { useRevalidator } from 'react-router';
import { undoSeconds } from '#contract/staff-values.ts';
import { PasswordDialog } from '../../../domain/password-dialog.tsx';
import { useHydrated } from '../../../platform/use-hydrated.ts';
import type { StaffPageProps } from '../define-page.ts';
import { UndoBar } from '../ui/undo-bar.tsx';
import { DecisionNotice } from './decision-bar.tsx';
import { ItemDetail } from './item-detail.tsx';
import { QueueEnd } from './queue-end.tsx';
import { QueueList } from './queue-list.tsx';
import { type ReviewData, itemOfKey, keyOf, nameOf, outcomeInWords } from './review-items.ts';
import { ShortcutDialog } from './shortcut-dialog.tsx';
import { type Queue, useQueue } from './use-queue.ts';
import { useShortcuts } from './use-shortcuts.ts';

/** Shows what waits for a decision: on wide screens the list beside the open item, on phones one of them. */
export function ReviewPage({ data, id: openKey }: StaffPageProps<ReviewData>) {
  const queue = useQueue(data, openKey);
  const root = useRef<HTMLDivElement>(null);
  const shortcuts = useShortcuts(root, () => queue.open(null));
  const [isPasswordAsked, setIsPasswordAsked] = useState(false);
  const needsPassword = Object.values(queue.failures).some((failure) => failure.needsPassword);
  useEffect(() => setIsPasswordAsked(needsPassword), [needsPassword]);
  const { revalidate } = useRevalidator();
  useEffect(() => {
    if (openKey !== null) return undefined;
    // Only while no item is open, so that nothing moves beside it.
    const refresh = () => document.visibilityState === 'visible' && void revalidate();
    document.addEventListener('visibilitychange', refresh);
    return () => document.removeEventListener('visibilitychange', refresh);
  }, [openKey, revalidate]);
  // Shortcuts work while the queue has the focus. It gets the focus back when the focused element has disappeared.
  useEffect(() => {
    if (document.activeElement === document.body) root.current?.focus({ preventScroll: true });
  });
  const item = queue.items.find((one) => keyOf(one) === openKey) ?? null;
  const isOpen = openKey !== null && itemOfKey(openKey) !== null;
  const lastDecision = <LastDecision queue={queue} />;
  return (
    // The handler only presses buttons and moves between links, which are all there for the pointer too.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      ref={root}
      tabIndex={-1}
      data-no-shortcuts={shortcuts.areOn ? undefined : ''}
      className="relative outline-none lg:grid lg:h-dvh lg:grid-cols-[20rem_minmax(0,1fr)]"
      onKeyDown={shortcuts.onKeyDown}
    >
      <QueueList
        queue={queue}
        kind={data.kind}
        openKey={openKey}
        onShowShortcuts={shortcuts.show}
        className={isOpen ? 'max-lg:hidden' : ''}
      />
      <div className={`relative min-w-0 lg:h-dvh lg:overflow-y-auto ${isOpen ? '' : 'max-lg:hidden'}`}>
        {isOpen ? (
          <DecisionNotice value={lastDecision}>
            <ItemDetail key={openKey} itemKey={openKey} item={item} queue={queue} />
          </DecisionNotice>
        ) : (
          <QueueEnd queue={queue} />
        )}
      </div>
      {/* On phones, an open item has it above the buttons that decide. */}
      <div
        className={`z-10 max-lg:fixed max-lg:inset-x-3 max-lg:bottom-3 lg:absolute lg:bottom-3 lg:left-3 lg:w-[18.5rem] ${isOpen ? 'max-lg:hidden' : ''}`}
      >
        {lastDecision}
      </div>
      {shortcuts.isShown && <ShortcutDialog shortcuts={shortcuts} />}
      {isPasswordAsked && (
        <PasswordDialog
          onClose={() => setIsPasswordAsked(false)}
          onTyped={async () => {
            setIsPasswordAsked(false);
            queue.retryFailed();
          }}
        />
      )}
    </div>
  );
}

/** Offers to undo the latest decision, until it takes effect. */
function LastDecision({ queue }: { queue: Queue }) {
  const isHydrated = useHydrated();
  const [isBusy, setIsBusy] = useState(false);
  const last = queue.decisions.findLast(({ isOver }) => !isOver);
  const item = last && queue.items.find((one) => keyOf(one) === last.key);
  const text = last && item ? `${outcomeInWords(item.kind, last.outcome)}: ${nameOf(item)}` : null;
  return (
    <UndoBar
      text={isHydrated ? text : null}
      id={last ? `${last.key} ${last.undoUntil}` : ''}
      seconds={undoSeconds}
      busy={isBusy}
      shortcut="u"
      onUndo={async () => {
        if (!last) return;
        setIsBusy(true);
        await queue.undo(last);
        setIsBusy(false);
      }}
    />
  );
}
